"""The pages: one file, one template and one test file each."""
