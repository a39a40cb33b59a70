// Package target describes the machines that code is generated for, as far as the compiler's choice between alternatives
// depends on them. It holds the numbers of these choices, each with its unit and its source, or the word that it was not
// measured. A new kind of processor is a new [Target]; the file of a [Machine] has the numbers of one that was measured.
//
// Generated code runs on every machine regardless of the target: kernels are chosen at program start. A
// target only determines which alternative is likely the fastest.
//
// It does not hold what runtime/cpu decides by itself when a program runs, for the processor that it then has and the sizes
// that it then knows: which implementation of a kernel runs, how many threads share a product and in which parts (the speeds
// and thresholds of its gemm_driver.go), and whether a quantized convolution is transformed (byteSpeed in its int8_amd64.go).
// These numbers stand there, as programs must not contain the compiler. Nor does it hold limits of what a file may ask for,
// such as that of folding, which protect the compiler and make nothing faster.
package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Target describes the approximate speed of a machine. The numbers are fixed, so that the same model gives the same code
// on every machine.
type Target struct {
	Level  string  // of kernels, as in BBGEN_CPU
	Cores  int     // of a peer; all speeds are those of one core
	Caches []Cache // for data of one core, the nearest first

	// Speeds, which "bbgen tune --machine" measures.
	Products   int // multiply-adds of a float32 matrix product per nanosecond
	Transforms int // elements that Winograd's transforms compute in four nanoseconds
	Bytes      int // of filters read from the last-level cache per nanosecond
	Call       int // fixed overhead of a Winograd convolution in nanoseconds

	Columns   int // columns of a matrix product that kernels compute together: the last ones take as long as so many
	HalfPanel int // time of a row of a product with up to 16 columns, if one with 17 to 32 takes 32: half a vector takes more than half

	Limits Limits
	Peer   Peer
	Free   Free
}

// Panel is the number of columns of a panel, in which runtime/cpu packs filters. It is the same on all machines, so that
// a program is, too: no number of a [Target].
const Panel = 32

// Limits are the sizes at which another alternative becomes the faster one, as far as they follow from no speed.
type Limits struct {
	Winograd int           // channels and filters from which on Winograd's transforms are considered
	Planes   int           // channels up to which a convolution reads planes as fast as pixels
	Convert  int           // elements from which on a value is stored in 16 bits between two passes
	Near     int           // nodes for which a value that was widened from 16 bits stays in float32
	Inline   time.Duration // longest computation that the engine of a peer waits for
	Rolled   int           // steps that a repetition must save for its code to be generated once, as a block
	Adjacent int           // eighths of the time of single positions within which several at once must be, to be computed so
	Slack    float64       // how many times slower the slowest stage of a pipeline may be if less is sent
}

// Peer describes the performance of a peer and its connection.
type Peer struct {
	Rate      float64       // floating-point operations per second and core, in the mean over the operators of a model
	Memory    float64       // bytes of weights read per second
	Bandwidth float64       // bytes per second to another peer
	Latency   time.Duration // of a message to another peer
	Fill      int           // bytes that a value takes in an envelope beside its elements
	Envelope  int           // bytes that an envelope takes beside its values
}

// Free are the values of symbolic dimensions that are assumed when alternatives are compared.
type Free struct {
	Pixels   int // a side of an image
	Size     int // a dimension for which costs are reported; --assume overrides it
	Elements int // a dimension of elements, when a chain of operators is considered
}

// zen4 are the caches of an AMD Zen 4 (EPYC, family 25, model 17), as Linux describes them.
var zen4 = []Cache{{Level: 1, Bytes: 32 << 10}, {Level: 2, Bytes: 1 << 20}, {Level: 3, Bytes: 32 << 20}}

// usual are the limits of all targets. No machine was measured on which others are better.
var usual = Limits{
	// The cost model was compared with measurements at 16 channels and more, not below.
	Winograd: 16,

	// Moving the channels of an image last costs as much as the convolution gains if there are few. First layers have 1 to 4;
	// what is best for 5 to 15 was not measured.
	Planes: 4,

	// On a busy Zen 4, rounding and widening takes 1.3 µs for 64 elements, and 2.2 µs for 512: with fewer, the two calls take
	// most of it.
	Convert: 512,

	// Not measured in time. What is read within a few nodes, such as a normalization, its activation and a sum, stays as it
	// is, so that 16 bits are for what the backward pass reads.
	Near: 6,

	// Not measured. It is long beside passing a computation to a worker, which takes several microseconds, and short
	// beside a message of the local network.
	Inline: 50 * time.Microsecond,

	// Not measured in time, which is the same. A block has a function, a type of weights and arguments of its own, about a
	// dozen lines: with less saved, code with blocks is longer than without.
	Rolled: 12,

	// Not measured. The cost of adjacent positions is a count of multiplications, which leaves out that windows overlap: what
	// seems to gain less than an eighth may gain nothing.
	Adjacent: 7,

	// Not measured. The times of stages are estimates with larger errors than this.
	Slack: 1.05,
}

// office is a small machine with one core in an office. Its numbers are assumed, as a cut must suit any peer of a class:
// a sixth of the rate at which Zen 4 multiplies matrices, half of a channel of DDR4-2400 (19.2 GB/s), Gigabit Ethernet,
// and a millisecond for a message. Flags such as --bandwidth and --latency override them.
//
// The bytes of fills and envelopes are facts of runtime/wire, rounded up: a fill has its edge, type and sizes, and an
// envelope the execution, its number and the channel's checksum. The exact numbers depend on the values of these.
var office = Peer{Rate: 20e9, Memory: 10e9, Bandwidth: 1e9 / 8, Latency: time.Millisecond, Fill: 40, Envelope: 80}

// assumed are sizes of symbolic dimensions. The graphs that were measured have batches of 1 to 64, sequences of 16 to 512, and
// images of 224 to 640 pixels. There is one value for each question, near the smallest for which the more expensive
// preparation pays off, so that a wrong guess costs little.
var assumed = Free{
	Pixels:   320, // the usual smaller size of detectors, whose images are free most often
	Size:     16,  // the shortest sequence, and a usual batch
	Elements: 8,   // with rows of 512 elements, the usual width of a small transformer, a vector has the size of [Target.Chained]
}

// of returns the target of a level with what is the same for all levels.
//
// NB: the caches and HalfPanel of neon and portable are those of Zen 4, and not measured elsewhere, so that a level alone
// changes no choice that depends on them.
func of(t Target) *Target {
	t.Cores, t.Caches, t.HalfPanel, t.Limits, t.Peer, t.Free = 1, zen4, 20, usual, office, assumed
	return &t
}

// The targets. The speeds of amd64 and of portable were measured by "bbgen tune --machine" on one core of the Zen 4, where
// vectors of AVX-512 are computed in two halves; a Cascade Lake multiplies at 38 and 71. Three numbers are not as measured.
// Filters in a cache are read at 62 and 69 bytes per ns; those of a large model are not in one. A call takes 1 to 2 µs with
// filters of 16 channels, and too little to be measured with portable kernels. Transforms reach 13 and 19 with 16 channels.
// With more channels neither was measured apart, and both are assumed to be slower.
//
// NB: the speeds of neon are estimates that have not been measured on hardware.
//
// Columns are facts of runtime/cpu's micro-kernels: portable ones compute 4 columns at once, those of AVX2 and AVX-512
// multiples of 8, and those of NEON always 16.
var (
	Portable = of(Target{Level: "portable", Products: 1, Transforms: 1, Bytes: 3, Call: 10000, Columns: 4})
	AVX2     = of(Target{Level: "avx2", Products: 55, Transforms: 10, Bytes: 24, Call: 10000, Columns: 8})
	AVX512   = of(Target{Level: "avx512", Products: 57, Transforms: 16, Bytes: 24, Call: 10000, Columns: 8})
	NEON     = of(Target{Level: "neon", Products: 20, Transforms: 5, Bytes: 8, Call: 10000, Columns: 16})
)

// Default is the target if none is selected.
var Default = AVX512

var targets = map[string]*Target{}

func init() {
	for _, t := range []*Target{Portable, AVX2, AVX512, NEON} {
		targets[t.Level] = t
	}
}

// Levels lists the levels that have a target.
func Levels() []string { return slices.Sorted(maps.Keys(targets)) }

// Of returns the target for a level of kernels; "" selects [Default].
func Of(level string) (*Target, error) {
	if level == "" {
		return Default, nil
	}
	if t := targets[level]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("there is no level %q, want one of %s", level, strings.Join(Levels(), ", "))
}

// Or returns t, or [Default] if t is nil.
func Or(t *Target) *Target {
	if t == nil {
		return Default
	}
	return t
}
