package peak

import "github.com/bbgen/bbgen/runtime/cpu"

// perStep is the number of fused multiply-adds in a step of fmaAVX512 and fmaAVX2.
const perStep = 12

// flopsPerStep returns the floating-point operations of a step of [multiplyAdd].
func flopsPerStep(level cpu.Level) int {
	switch level {
	case cpu.AVX512:
		return 2 * 16 * perStep
	case cpu.AVX2:
		return 2 * 8 * perStep
	}
	return 0
}

// multiplyAdd runs steps of fused multiply-adds that are independent of each other within a step.
func multiplyAdd(level cpu.Level, steps int) {
	if level == cpu.AVX512 {
		fmaAVX512(steps)
	} else {
		fmaAVX2(steps)
	}
}

func fmaAVX512(steps int)

func fmaAVX2(steps int)
