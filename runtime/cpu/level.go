package cpu

import "syscall"

// Level is an instruction set of kernels. The results of a kernel are the same at every level up to the bound
// in its comment. At one level their bits are the same for any number of threads.
type Level uint8

const (
	Portable Level = iota // Go alone: every GOARCH, and -tags purego
	AVX2                  // amd64 with AVX2, FMA and F16C
	AVX512                // amd64 with those, AVX-512 F, BW, DQ and VL, and BMI2
	NEON                  // every arm64
)

var levelNames = [...]string{Portable: "portable", AVX2: "avx2", AVX512: "avx512", NEON: "neon"}

// String returns the level's name as BBGEN_CPU spells it.
func (l Level) String() string { return levelNames[l] }

// level is read by all kernels that have several implementations. It is set once, before main; only tests set
// it again.
var level = startLevel(bestLevel(), syscall.Getenv, func(text string) { print(text) })

// CurrentLevel returns the level that kernels run at.
func CurrentLevel() Level { return level }

// Levels returns the levels this machine and this build can run, the lowest first.
func Levels() []Level {
	best := bestLevel()
	if best == NEON {
		return []Level{Portable, NEON}
	}
	var ls []Level
	for l := Portable; l <= best; l++ {
		ls = append(ls, l)
	}
	return ls
}

// SetLevel makes kernels run at l, or at the best level below it that the machine has, and returns the level they ran
// at before. It is for tests and for folding constants at generation, and must not race with a kernel.
func SetLevel(l Level) (old Level) {
	old, level = level, reach(l, bestLevel())
	return old
}

// reach returns l, or the best level below it, on a machine with the given best level.
func reach(l, best Level) Level {
	if (l == NEON) != (best == NEON) && l != Portable { // of another architecture
		return best
	}
	return min(l, best)
}

// startLevel returns best, or the level in BBGEN_CPU if the machine has it. What else BBGEN_CPU names is told, as a
// measurement would otherwise be one of another level than its user believes.
func startLevel(best Level, getenv func(string) (string, bool), tell func(string)) Level {
	want, _ := getenv("BBGEN_CPU")
	if want == "" {
		return best
	}
	for l, name := range levelNames {
		if name == want {
			got := reach(Level(l), best)
			if got != Level(l) {
				tell("BBGEN_CPU=" + want + ": this machine has no such level; kernels run at " + got.String() + "\n")
			}
			return got
		}
	}
	tell("BBGEN_CPU=" + want + ": there is no such level, want avx512, avx2, neon or portable; kernels run at " + best.String() + "\n")
	return best
}
