"""What the tests of `check` share: functions with wrong derivatives and their right twins, texts for every operator."""
