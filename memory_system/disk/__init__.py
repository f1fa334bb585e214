"""The one door to the disk: files replaced whole, locks, and file systems that cannot be trusted with them."""
