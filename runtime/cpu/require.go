package cpu

// Require panics with an [Error] if a condition, of one element, is not the wanted one; because is the
// reason.
func Require(cond []bool, want bool, because string) {
	if cond[0] != want {
		fail("Require", "a branch is taken that cannot run: %s", because)
	}
}
