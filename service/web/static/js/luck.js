// The player's share of the luck on pages without live updates: new match, lobby, invitation and fork.

import { enhanceLuck, enhanceSeatForms, openShares } from "./seat_luck.js";

enhanceLuck(document);
enhanceSeatForms(document);
openShares(document);
