/** What the values of attributes must be. What is something else counts as not given. */
export const AGE = /^(?=.*[1-9])\d+(\.\d+)?$/;
export const CORNER = /^bottom-(left|right)$/;
export const DOMAIN = /^[\w-]+(\.[\w-]+)*$/;
