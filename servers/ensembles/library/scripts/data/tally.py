"""Counts the items of all lists before it by theme and mood, the most frequent theme first."""

import json
import sys

given = json.load(sys.stdin)
counts: dict[str, dict[str, int]] = {}
for result in given.get("dependencies", {}).values():
    try:
        batches = json.loads(result.get("response") or "[]")
    except ValueError:
        batches = []
    for batch in batches if isinstance(batches, list) else []:
        items = batch.get("items", []) if isinstance(batch, dict) else []
        for item in items:
            theme = str(item.get("theme", "other")).strip().lower()
            mood = str(item.get("mood", "neutral"))
            moods = counts.setdefault(theme, {})
            moods[mood] = moods.get(mood, 0) + 1
themes = [{"theme": theme, "count": sum(moods.values()), "moods": moods} for theme, moods in counts.items()]
themes.sort(key=lambda one: (-one["count"], one["theme"]))
print(json.dumps({"success": True, "data": {"themes": themes, "answers": sum(one["count"] for one in themes)}, "error": None}))
