"""From what an evaluation left behind to notes: each rule proves one kind of finding."""
