//go:build !amd64 || purego

package cpu

// planeFilters returns 0, 0: there are no kernels for planes.
func planeFilters(filters int) (together, pixels int) { return 0, 0 }

func (t *planeTile) run(pixels, filters int) { panic("BUG: no kernel reads planes") }
