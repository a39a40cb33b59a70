//go:build !amd64 || purego

package cpu

// fewHalves returns the maximum number of rows of a micro-kernel for a b of 16 bits: there is none.
func fewHalves() int { return 0 }

func (t *gemmTile) runStored(bool) { panic("BUG: there is no micro-kernel for a b of 16 bits") }
