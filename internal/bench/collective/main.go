// Command collective times collective computations of peers: all-reduces in comparison with Gloo, how long
// survivors take after a rank is killed, and trainings that share each batch, also while ranks are killed and come back.
//
//	go run ./internal/bench/collective              # from the root of the repository; without -python Gloo is left out
//	go run ./internal/bench/collective -build DIR   # builds static binaries only
//	DIR/collective -python python3                  # runs these, on a machine without Go to which DIR was copied too
//	DIR/collective -only sums,kill                  # some of the figures
//	DIR/collective -only faults -fault-span 30m     # half an hour with faults, and two minutes without before and after it
//
// DIR holds all programs. Gloo is that of torch.distributed, so -python names an interpreter that has torch.
// Each figure is a line of JSON on standard output; messages about the progress go to standard error. With
// -ranks, -bytes and -steps a run is shorter, for example on a laptop:
//
//	DIR/collective -ranks 2 -bytes 4096,1048576 -steps 20
//
// Ranks are processes on this machine, which divide the processors equally. Workers use TLS, or connections
// without encryption, which is reported as "encrypted": false. A sum begins after a barrier, for Gloo too.
// Its time is measured by each rank: the figure is the median of all ranks and rounds. In trainings, one rank
// with one thread has one batch, and two have two: the figure is the quotient of their examples per second. Beside it is
// that of two trainings at the same time that do not communicate: shared caches, memory and clocks slow them, too. Both are
// also computed from the fastest tenth of the steps of each, as virtual processors change their clocks within milliseconds.
// With -cores 2 each rank has two processors that no other uses, so that ranks do not meet on the two halves of one core.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/section"
)

// bench is the common data of all figures.
type bench struct {
	from        string // the folder of the programs
	tmp         string
	python      string // "": no comparison with Gloo
	ranks       section.Counts
	bytes       section.Counts
	rounds      int           // of sums, 0: fewer of large ones
	algorithms  string        // of sums, by name; "": all
	hosts       string        // of sums, by name; "": all
	steps       int           // of a training
	models      string        // to train, by name; "": all
	cores       int           // processors of each rank of a training, which no other rank uses; 0: all processors for all
	connections int           // parallel connections between two workers; 0: as they choose
	faulty      int           // ranks of the figure "faults"
	every       time.Duration // from one fault to the next
	span        time.Duration // how long steps are counted with faults
	calm        time.Duration // and without any, before and after that
	fleets      int
	out         *json.Encoder
}

// figures are the possible measurements.
var figures = []struct {
	name, what string
	measure    func(*bench) error
}{
	{"sums", "how long all-reduces take, by size, ranks and algorithm, beside Gloo", (*bench).sums},
	{"traffic", "bytes that the ring sends, over what it must", (*bench).traffic},
	{"kill", "how long survivors take for the sum in which a rank was killed", (*bench).kill},
	{"faults", "steps of peers of which one is killed and started again, again and again, over those without", (*bench).faults},
	{"training", "examples a second of two ranks over those of one, and how much of their sums is hidden", (*bench).training},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("collective: ")
	b := &bench{out: json.NewEncoder(os.Stdout)}
	build := flag.String("build", "", "write what is run into a `folder`, and do nothing else")
	only := flag.String("only", "", "the `figures` to measure, all if there are none:\n"+list())
	flag.StringVar(&b.from, "from", "", "the `folder` that -build has written (default: that of this program, or one in which they are built)")
	flag.StringVar(&b.python, "python", "", "the `program` that runs Python with torch, for Gloo")
	flag.Var(&b.ranks, "ranks", "`numbers` of processes (default 2,4,8)")
	flag.Var(&b.bytes, "bytes", "`sizes` of what is summed (default 4096,1048576,67108864)")
	flag.IntVar(&b.rounds, "rounds", 0, "the `number` of sums of each kind, of which the first is not counted (default: fewer of large ones)")
	flag.StringVar(&b.algorithms, "algorithms", "", "the `names` of the algorithms of sums (default: those that suit a size)")
	flag.StringVar(&b.hosts, "hosts", "", "the `names` of the transports of sums, of tcp and plain (default: both)")
	flag.IntVar(&b.connections, "connections", 0, "parallel connections between two workers, 1 for none (default: as they choose)")
	flag.IntVar(&b.steps, "steps", 200, "of each training")
	flag.StringVar(&b.models, "models", "", "the `names` of the models to train, of lenet and transformer (default: both)")
	flag.IntVar(&b.cores, "cores", 0, "the `number` of processors that each rank of a training has for itself, with taskset (default: all ranks have all)")
	flag.IntVar(&b.faulty, "fault-ranks", 32, "the `number` of processes of which one is killed and started again")
	flag.DurationVar(&b.every, "fault-every", 29*time.Second, "the `time` from one fault to the next")
	flag.DurationVar(&b.span, "fault-span", 100*time.Second, "the `time` for which steps are counted with faults")
	flag.DurationVar(&b.calm, "calm-span", 2*time.Minute, "the `time` for which steps are counted without faults, before that and after it")
	flag.Parse()
	if b.ranks == nil {
		b.ranks = section.Counts{2, 4, 8}
	}
	if b.bytes == nil {
		b.bytes = section.Counts{4 << 10, 1 << 20, 64 << 20}
	}
	if err := b.run(*build, *only); err != nil {
		log.Fatal(err)
	}
}

// list returns the figures, for help.
func list() string {
	var s strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&s, "  %-10s %s\n", f.name, f.what)
	}
	return strings.TrimSuffix(s.String(), "\n")
}

func (b *bench) run(build, only string) (err error) {
	if build != "" {
		return buildAll(build)
	}
	if b.tmp, err = os.MkdirTemp("", "collective-*"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	chosen := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	for _, name := range chosen {
		if !strings.Contains(list(), "  "+name+" ") {
			return fmt.Errorf("-only %s: there is no such figure; there are:\n%s", name, list())
		}
	}
	if err := b.find(); err != nil {
		return err
	}
	for _, f := range figures {
		if len(chosen) > 0 && !slices.Contains(chosen, f.name) {
			continue
		}
		if failed := f.measure(b); failed != nil { // the others are measured all the same
			err = errors.Join(err, fmt.Errorf("%s: %w", f.name, failed))
		}
	}
	return err
}

// find sets the folder of the programs: the given one, that of this program if they are there, or else one in which they are built.
func (b *bench) find() error {
	if b.from != "" {
		dir, err := filepath.Abs(b.from)
		if b.from = dir; err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(dir, "worker")); err != nil {
			return fmt.Errorf("%w: -from names a folder that -build has written", err)
		}
		return nil
	}
	if self, err := os.Executable(); err == nil {
		if b.from = filepath.Dir(self); exists(filepath.Join(b.from, "worker")) {
			return nil
		}
	}
	b.from = filepath.Join(b.tmp, "programs")
	return buildAll(b.from)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// dir makes a folder for one more run.
func (b *bench) dir() string {
	b.fleets++
	return filepath.Join(b.tmp, fmt.Sprint("run", b.fleets))
}
