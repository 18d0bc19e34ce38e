export const serverOptions: readonly string[];
export function findNode24(): string;
