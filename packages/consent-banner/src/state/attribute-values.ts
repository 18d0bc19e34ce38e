/** The patterns of attribute values. Invalid values are ignored. */
export const AGE = /^(?=.*[1-9])\d+(\.\d+)?$/;
export const CORNER = /^bottom-(left|right)$/;
export const DOMAIN = /^[\w-]+(\.[\w-]+)*$/;
