package cpu

// Require fails if a condition, of one element, is not what it must be; because
// tells what would go wrong.
func Require(cond []bool, want bool, because string) {
	if cond[0] != want {
		fail("Require", "a branch is taken that cannot run: %s", because)
	}
}
