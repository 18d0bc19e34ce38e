import { html, type TemplateResult } from 'lit';
import { field, readForm, TaskElement } from '../element.ts';
import { pageWords } from '../preferences.ts';

/** Finds a data subject by the id under which its consent is recorded. */
export class SubjectsPage extends TaskElement {
  protected override render(): TemplateResult {
    return html`<h1>${pageWords.subjects}</h1>
      <p>${pageWords.subjectsHint}</p>
      <form role="search" @submit=${this.#find}>
        ${field(pageWords.subjectId, 'subjectId')}
        <div class="actions"><button class="primary">${pageWords.open}</button></div>
      </form>`;
  }

  readonly #find = (event: SubmitEvent): void => {
    const { subjectId = '' } = readForm(event);
    this.goTo(`subjects/${encodeURIComponent(subjectId)}`);
  };
}

customElements.define('svc-subjects', SubjectsPage);
