package peak

import "github.com/bbgen/bbgen/runtime/cpu"

// level is the one that the program begins with: a compiler that folds constants changes it.
var level = cpu.CurrentLevel()

// perStep is the fused multiply-adds of a step of fma512 and fma256.
const perStep = 12

// flopsPerStep is the floating-point operations of a step of [multiplyAdd].
func flopsPerStep() int {
	switch level {
	case cpu.AVX512:
		return 2 * 16 * perStep
	case cpu.AVX2:
		return 2 * 8 * perStep
	}
	return 0
}

// multiplyAdd runs steps of fused multiply-adds, none of which waits for another
// of its step.
func multiplyAdd(steps int) {
	if level == cpu.AVX512 {
		fma512(steps)
	} else {
		fma256(steps)
	}
}

func fma512(steps int)

func fma256(steps int)
