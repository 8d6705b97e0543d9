/** How long to wait before an attempt is repeated, in ms: at first, and at most. */
export const pauses = { first: 2_000, longest: 60_000 };

/** The pause after the one that has passed. */
export function longer(pause) { return Math.min(2 * pause, pauses.longest); }
