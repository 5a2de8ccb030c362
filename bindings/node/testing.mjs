import testing from "./testing.js";

export const { assertPrompt } = testing;
