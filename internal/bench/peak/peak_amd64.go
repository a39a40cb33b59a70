package peak

import "github.com/bbgen/bbgen/runtime/cpu"

// level is the level when the program starts. Later the compiler lowers the current level, as it folds
// constants with the portable kernels.
var level = cpu.CurrentLevel()

// perStep is the number of fused multiply-adds in a step of fmaAVX512 and fmaAVX2.
const perStep = 12

// flopsPerStep returns the floating-point operations of a step of [multiplyAdd].
func flopsPerStep() int {
	switch level {
	case cpu.AVX512:
		return 2 * 16 * perStep
	case cpu.AVX2:
		return 2 * 8 * perStep
	}
	return 0
}

// multiplyAdd runs steps of fused multiply-adds that are independent of each other within a step.
func multiplyAdd(steps int) {
	if level == cpu.AVX512 {
		fmaAVX512(steps)
	} else {
		fmaAVX2(steps)
	}
}

func fmaAVX512(steps int)

func fmaAVX2(steps int)
