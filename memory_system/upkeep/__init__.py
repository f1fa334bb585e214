"""What people do with a memory between the nights: change, explain, undo, check, mend, count and copy it."""
