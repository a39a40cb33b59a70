package cpu

// CheckEqual fails if a size that a kernel relies on is not what it wants: what
// says of what it is the size.
func CheckEqual(what string, got, want int) {
	if got != want {
		fail("CheckEqual", "%s are %d, want %d", what, got, want)
	}
}
