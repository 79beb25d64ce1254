// Shows the copy buttons of a page that isn't a table. On a table, `live.js` does this after every update.

import { enhanceCopies } from "./copy.js";

enhanceCopies(document);
