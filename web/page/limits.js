// What the page lays out at most, so that it never keeps anybody waiting.

/** From this many characters on a pasted text is kept beside the input field. */
export const LONG = 50_000;

/** Findings of a long text that are listed. */
export const MOST_FINDINGS = 500;

/** Characters of the masked text that are shown. */
export const MOST_SHOWN = 20_000;
