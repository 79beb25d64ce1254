// The draw tables of each game by rules version. `python -m tools.draw_tables` writes them from the games'
// `rules/draw_table.py`; docs/draws.md explains them.

export const DRAWS = {
  "bakers_brawl": {
    "1": {
      "lists": {
        "kinds": ["chocolate", "vanilla", "cinnamon", "nuts", "berries", "apple", "lemon", "cream_cheese"],
        "specials": ["chocolate", "chocolate", "chocolate", "chocolate", "chocolate", "chocolate", "chocolate",
          "chocolate", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "cinnamon",
          "cinnamon", "cinnamon", "cinnamon", "cinnamon", "cinnamon", "nuts", "nuts", "nuts", "nuts", "nuts", "nuts",
          "berries", "berries", "berries", "berries", "berries", "berries", "apple", "apple", "apple", "apple",
          "apple", "lemon", "lemon", "lemon", "lemon", "lemon", "cream_cheese", "cream_cheese", "cream_cheese",
          "cream_cheese", "cream_cheese"],
        "orders.2": ["O01", "O02", "O03", "O04", "O05", "O06", "O09", "O10", "O11", "O17", "O18", "O19", "O20", "O21",
          "O22", "O25", "O26", "O27", "O28", "O29", "O30", "O31", "O33", "O34", "O35", "O36", "O37"],
        "orders.3": ["O01", "O02", "O03", "O04", "O05", "O06", "O07", "O08", "O09", "O10", "O11", "O12", "O13", "O14",
          "O15", "O16", "O17", "O18", "O19", "O20", "O21", "O22", "O23", "O24", "O25", "O26", "O27", "O28", "O29",
          "O30", "O31", "O32", "O33", "O34", "O35", "O36", "O37", "O38", "O39", "O40"],
        "orders.4": ["O01", "O02", "O03", "O04", "O05", "O06", "O07", "O08", "O09", "O10", "O11", "O12", "O13", "O14",
          "O15", "O16", "O17", "O18", "O19", "O20", "O21", "O22", "O23", "O24", "O25", "O26", "O27", "O28", "O29",
          "O30", "O31", "O32", "O33", "O34", "O35", "O36", "O37", "O38", "O39", "O40"],
        "agendas.2": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A13", "A14"],
        "agendas.3": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A12", "A13",
          "A14"],
        "agendas.4": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A12", "A13",
          "A14"]
      },
      "facts": {
        "position_set": [["set", "orders", "order_deck"], ["set", "specials", "special_deck"], ["set", "discard",
          "discard"]],
        "game_set_up": [["when", "@start_seat", "'random", [["below", "@seats", "start_seat"]]], ["shuffle",
          "=orders.{players}", "orders", ["order_line", "order_deck"]], ["set", "orders", "order_deck"], ["deal",
          "hands", "hands", "start_seat"], ["shuffle", "=specials", "specials", ["#hands", "special_deck"]], ["set",
          "specials", "special_deck"], ["deal", "agendas", "agendas", "start_seat"], ["shuffle", "=agendas.{players}",
          "removed", ["#agendas", "removed_agendas"]]],
        "special_drawn": [["top", "specials", "card"]],
        "ingredient_placed": [["when", "source", "'blind", [["top", "specials", "ingredient"]]]],
        "order_arrived": [["top", "orders", "order_id"]],
        "pantry_discarded": [["put", "discard", "card"]],
        "special_discarded": [["put", "discard", "card"]],
        "ingredients_cleared": [["put", "discard", "discarded"]],
        "seat_resigned": [["put", "discard", "discarded"]],
        "special_deck_reshuffled": [["sort", "discard", "=kinds"], ["shuffle", "#discard", "specials", "order"],
          ["set", "discard", []]]
      },
      "others": ["agenda_scored", "completion_declined", "completion_opened", "game_ended", "help_bonus_scored",
        "labor_compared", "order_claimed", "order_completed", "order_taken_by_boss", "pantry_stocked", "pantry_taken",
        "points_scored", "result_declared", "round_ended", "special_kept", "turn_passed", "turn_started"]
    }
  },
  "battle_of_the_bakeries": {
    "1": {
      "lists": {
        "chefs": ["chef_2", "chef_3", "chef_4", "chef_5", "chef_6", "hat_2", "hat_3", "hat_4", "hat_5", "hat_6",
          "apron_2", "apron_3", "apron_4", "apron_5", "apron_6", "oven_2", "oven_3", "oven_4", "oven_5", "oven_6",
          "batter_2", "batter_3", "batter_4", "batter_5", "batter_6", "wild_23_a", "wild_23_b", "wild_23_c",
          "wild_45_a", "wild_45_b"],
        "cakes": ["wedding_cake", "wedding_cake", "boston_cream_pie", "boston_cream_pie", "boston_cream_pie",
          "pineapple_upside_down_cake", "pineapple_upside_down_cake", "pineapple_upside_down_cake",
          "pineapple_upside_down_cake", "pineapple_upside_down_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake",
          "cinnamon_coffee_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake",
          "cinnamon_coffee_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake",
          "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "bundt_cake", "bundt_cake",
          "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake",
          "bundt_cake", "bundt_cake", "bundt_cake", "german_chocolate_cake", "german_chocolate_cake",
          "german_chocolate_cake", "german_chocolate_cake", "german_chocolate_cake", "german_chocolate_cake",
          "german_chocolate_cake", "black_forest_cake", "black_forest_cake", "black_forest_cake", "black_forest_cake",
          "black_forest_cake", "mississippi_mud_cake", "mississippi_mud_cake", "mississippi_mud_cake",
          "birthday_cake", "birthday_cake"],
        "slots": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
      },
      "facts": {
        "position_set": [["set", "layout", "layout"], ["set", "store", "=cakes"], ["drop", "store", ["cases",
          "drawn"]], ["hold", "sold", "sold"], ["set", "unsold.0", "=slots"], ["drop", "unsold.0", "#sold.0"], ["set",
          "unsold.1", "=slots"], ["drop", "unsold.1", "#sold.1"]],
        "chefs_laid_out": [["shuffle", "=chefs", "layout", "layout"]],
        "order_rolled_off": [["dice", "rolls"]],
        "die_rolled": [["dice", "value"]],
        "card_flipped": [["at", "layout", "position", "card"]],
        "hiring_closed": [["set", "store", "=cakes"]],
        "cake_drawn": [["pick", "#store", "cake"], ["drop", "store", "cake"]],
        "sale_opened": [["set", "unsold.0", "=slots"], ["set", "unsold.1", "=slots"]],
        "dice_rolled": [["dice", "dice"]],
        "cake_sold": [["drop", "unsold.{seat}", "slot"]],
        "catch_up_tried": [["pick", "#unsold.{seat}", "number"], ["dice", "dice"]]
      },
      "others": ["bonus_taken", "cake_placed", "catch_up_opened", "catch_up_stopped", "chef_hired", "game_created",
        "game_ended", "great_chef_awarded", "hire_declared", "hire_failed", "last_chance_denied",
        "last_chance_failed", "last_chance_opened", "round_began", "round_scored", "sale_closed", "seat_resigned",
        "stale_due", "stale_placed", "stale_waived", "turn_began", "turn_ended", "turn_lost", "turn_order_chosen"]
    }
  },
  "mice_cake": {
    "1": {
      "lists": {
        "dominoes": ["0-0", "0-1", "0-2", "0-3", "0-4", "0-5", "0-6", "1-1", "1-2", "1-3", "1-4", "1-5", "1-6", "2-2",
          "2-3", "2-4", "2-5", "2-6", "3-3", "3-4", "3-5", "3-6", "4-4", "4-5", "4-6", "5-5", "5-6", "6-6"]
      },
      "facts": {"cake_laid": [["shuffle", "=dominoes", "cake", "cells.*.piece"]], "dice_rolled": [["dice", "dice"]]},
      "others": ["assignments_revealed", "attempt_decided", "blank_removed", "game_ended", "game_started",
        "mice_assigned", "mice_boosted", "mice_exhausted", "piece_stolen", "piece_taken", "piece_turned_up",
        "position_set", "round_ended", "round_started", "seat_resigned"]
    }
  },
  "pie_contest": {
    "1": {
      "lists": {
        "pantry": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
          28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,
          55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81,
          82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106,
          107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
          128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148,
          149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169,
          170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181],
        "achievements": [182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199,
          200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220,
          221],
        "becoming": [184, 189, 201, 202, 208, 210, 213, 214, 218]
      },
      "facts": {
        "position_set": [["set", "pantry", "pantry"], ["set", "trash", "trash"], ["set", "pile", "pile"], ["set",
          "active", "active"], ["hold", "hand", "hands"]],
        "pantry_shuffled": [["shuffle", "=pantry", "pantry", "order"]],
        "achievements_shuffled": [["shuffle", "=achievements", "pile", "order"]],
        "first_seat_chosen": [["when", "@first_seat", "'random", [["below", "@seats", "seat"]]], ["set", "active",
          "seat"]],
        "hands_dealt": [["deal", "dealt", "hands", "#active"], ["top", "pantry", "#dealt"], ["hold", "hand",
          "hands"]],
        "turn_began": [["set", "active", "seat"]],
        "card_drawn": [["top", "pantry", "card"], ["move", "hand.{seat}", "card"]],
        "pantry_restocked": [["shuffle", "#trash", "pantry", "order"], ["set", "trash", []]],
        "ingredient_played": [["move", "table", "card"]],
        "action_played": [["move", "trash", "card", "=achievements", "pile"]],
        "dumpster_dived": [["move", "trash", "trashed", "=achievements", "pile"], ["move", "hand.{seat}", "taken"]],
        "hand_trimmed": [["move", "trash", "cards", "=achievements", "pile"]],
        "pie_baked": [["move", "trash", "cards", "=achievements", "pile"]],
        "ingredient_trashed": [["move", "trash", "card", "=achievements", "pile"]],
        "ingredient_taken_back": [["when", "to", "'pile", [["move", "pile", "card"]], [["move", "hand.{seat}",
          "card"]]]],
        "ingredient_stocked": [["move", "table", "card"]],
        "card_salvaged": [["move", "hand.{seat}", "card"]],
        "card_foraged": [["top", "pantry", "card"], ["when", "to", "'trash", [["move", "trash", "card",
          "=achievements", "pile"]], [["move", "table", "card"]]]],
        "card_looked_at": [["top", "pantry", "card"], ["move", "table", "card"]],
        "search_finished": [["move", "trash", "trashed", "=achievements", "pile"], ["move", "hand.{seat}", "kept"]],
        "card_stolen": [["sort", "hand.{owner}", ["=pantry", "=achievements"]], ["pick", "#hand.{owner}", "card"],
          ["when", "to", "'pile", [["move", "pile", "card"]], [["move", "hand.{seat}", "card"]]]],
        "cards_trashed": [["move", "trash", "cards", "=achievements", "pile"]],
        "hands_passed": [["each", "moves", [["when", "zone", "'pile", [["move", "pile", "card"]], [["move",
          "hand.{to}", "card"]]]]]],
        "achievement_revealed": [["top", "pile", "card"], ["move", "table", "card"]],
        "achievement_completed": [["move", "pile", "card", "=becoming", "turning.{seat}"]],
        "achievement_turned": [["when", "to", "'pile", [["move", "pile", "card"]]], ["when", "to", "'hand", [["move",
          "hand.{seat}", "card"]]], ["when", "to", "'kitchen", [["move", "table", "card"]]]],
        "row_cleared": [["move", "pile", "cards"]],
        "seat_resigned": [["move", "trash", ["hand", "kitchen", "aside"], "=achievements", "pile"], ["set", "falling",
          "#turning.{seat}"], ["when", "seat", "#active", [["set", "falling", ["#turning.0", "#turning.1",
          "#turning.2", "#turning.3", "#turning.4", "#turning.5", "#turning.6", "#turning.7"]]]], ["sort", "falling",
          ["=pantry", "=achievements"]], ["move", "pile", "#falling"]]
      },
      "others": ["bake_declined", "bake_failed", "choice_asked", "choice_made", "draw_missed", "extra_play_granted",
        "game_ended", "game_started", "ingredient_given", "ingredient_stolen", "ingredients_swapped", "pies_changed",
        "pies_staled", "step_fizzled", "step_started", "steps_queued", "trim_due", "turn_ended", "turn_passed"]
    }
  },
  "take_the_cake": {
    "1": {
      "lists": {
        "sections": ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8"],
        "recipes": ["rec_01", "rec_02", "rec_03", "rec_04", "rec_05", "rec_06", "rec_07", "rec_08", "rec_09",
          "rec_10", "rec_11", "rec_12"],
        "featured": ["feat_01", "feat_02", "feat_03", "feat_04", "feat_05", "feat_06", "feat_07", "feat_08",
          "feat_09", "feat_10", "feat_11", "feat_12", "feat_13", "feat_14", "feat_15", "feat_16", "feat_17",
          "feat_18"],
        "cards": ["fwd_1", "fwd_2", "fwd_3", "fwd_4", "fwd_5", "fwd_6", "fwd_7", "fwd_8", "back_1", "back_2",
          "back_3", "back_4", "left_1", "left_2", "left_3", "left_4", "right_1", "right_2", "right_3", "right_4",
          "around_1", "around_2", "around_3", "around_4", "jump_1", "jump_2", "jump_3", "jump_4", "rep2_1", "rep2_2",
          "rep2_3", "rep2_4", "rep3_1", "rep3_2", "rep3_3", "rep3_4", "if_01", "if_02", "if_03", "if_04", "if_05",
          "if_06", "if_07", "if_08", "if_09", "if_10", "if_11", "if_12", "if_13", "if_14", "if_15", "if_16"],
        "corners": [[0, 0], [0, 5], [5, 5], [5, 0]],
        "tiles": {
          "Q1": [[[1, 2], [2, 0], [4, 3]], [[0, 2], [2, 3], [3, 0]], [[0, 1], [2, 4], [3, 2]], [[1, 4], [2, 1], [4,
            2]]],
          "Q2": [[[0, 3], [2, 2], [4, 1]], [[1, 0], [2, 2], [3, 4]], [[0, 3], [2, 2], [4, 1]], [[1, 0], [2, 2], [3,
            4]]],
          "Q3": [[[1, 1], [2, 4], [3, 2]], [[1, 3], [2, 1], [4, 2]], [[1, 2], [2, 0], [3, 3]], [[0, 2], [2, 3], [3,
            1]]],
          "Q4": [[[0, 2], [2, 4], [3, 0]], [[0, 1], [2, 4], [4, 2]], [[1, 4], [2, 0], [4, 2]], [[0, 2], [2, 0], [4,
            3]]],
          "Q5": [[[0, 2], [2, 4], [3, 1]], [[1, 1], [2, 4], [4, 2]], [[1, 3], [2, 0], [4, 2]], [[0, 2], [2, 0], [3,
            3]]],
          "Q6": [[[1, 1], [2, 2], [4, 3]], [[1, 3], [2, 2], [3, 0]], [[0, 1], [2, 2], [3, 3]], [[1, 4], [2, 2], [3,
            1]]],
          "Q7": [[[0, 1], [2, 2], [4, 3]], [[1, 4], [2, 2], [3, 0]], [[0, 1], [2, 2], [4, 3]], [[1, 4], [2, 2], [3,
            0]]],
          "Q8": [[[1, 2], [3, 0], [4, 3]], [[0, 1], [2, 3], [3, 0]], [[0, 1], [1, 4], [3, 2]], [[1, 4], [2, 1], [4,
            3]]]
        }
      },
      "facts": {
        "position_set": [["set", "deck", "deck"], ["set", "discard", "discard"], ["set", "featured", "featured_deck"],
          ["set", "shown", "featured_discard"]],
        "first_player_chosen": [["when", "@first_player", "'random", [["below", "@seats", "seat"]]]],
        "board_laid": [["shuffle", "=sections", "sections", "layout.*.section", 4], ["below", 4, "layout.*.rotation"],
          ["set", "rotations", "layout.*.rotation"]],
        "recipe_drawn": [["when", "@recipe", "'random", [["pick", "=recipes", "recipe"]]], ["set", "ingredients",
          "ingredients"]],
        "placement_proposed": [["when", "seat", [], [["spread", "tokens", "#ingredients", "#sections", "#rotations",
          "=tiles", "=corners"]]]],
        "tokens_placed": [["when", "how", "'dealt", [["spread", "tokens", "#ingredients", "#sections", "#rotations",
          "=tiles", "=corners"]]]],
        "featured_deck_shuffled": [["shuffle", "=featured", "featured", "order"]],
        "featured_item_drawn": [["top", "featured", "card"], ["put", "shown", "replaced"]],
        "featured_deck_replenished": [["sort", "shown", "=featured"], ["shuffle", "#shown", "featured", "order"],
          ["set", "shown", []]],
        "player_deck_shuffled": [["shuffle", "=cards", "deck", "order"], ["set", "hands", []]],
        "cards_dealt": [["push", "hands", "cards"]],
        "turn_started": [["deal", "dealt", "#hands", 0], ["top", "deck", "#dealt"], ["set", "hands", []]],
        "cards_drawn": [["top", "deck", "cards"]],
        "cards_discarded": [["put", "discard", "cards"]],
        "cards_swapped": [["put", "discard", "cards"]],
        "seat_resigned": [["put", "discard", "cards"]],
        "deck_replenished": [["sort", "discard", "=cards"], ["shuffle", "#discard", "deck", "order"], ["set",
          "discard", []]]
      },
      "others": ["baker_blocked", "baker_moved", "baker_turned", "bakers_placed", "bakery_closed", "game_ended",
        "if_checked", "ingredient_collected", "pastry_baked", "placement_accepted", "placement_rejected",
        "program_laid", "round_ended", "turn_ended"]
    }
  },
  "tic_tac_toe": {
    "1": {
      "lists": {},
      "facts": {},
      "others": ["cell_marked", "game_ended", "game_started", "position_set", "seat_resigned"]
    }
  }
};
