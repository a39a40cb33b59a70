// Command gomlx times steps of training with gomlx's backend in Go, for internal/bench/train. For each line
// of its input, a number of milliseconds, it makes steps for that long and prints their figures.
//
//	gomlx MODEL THREADS
//
// It is a module of its own so that nothing else here depends on gomlx.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/gomlx/pkg/ml/train"
	"github.com/gomlx/gomlx/pkg/ml/train/losses"
	"github.com/gomlx/gomlx/pkg/ml/train/optimizers"
)

func main() {
	log.SetFlags(0)
	m, ok := models[os.Args[1]]
	if !ok {
		log.Fatalf("there is no model %s", os.Args[1])
	}
	config := ""
	if os.Args[2] == "1" {
		config = "ops_sequential" // GOMAXPROCS is 1, too
	}
	backend, err := simplego.New(config)
	if err != nil {
		log.Fatal(err)
	}
	adam := optimizers.Adam().LearningRate(1e-6).Done()
	t := train.NewTrainer(backend, context.New(), m.graph, losses.SparseCategoricalCrossEntropyLogits, adam, nil, nil)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		ms, _ := strconv.Atoi(lines.Text())
		fmt.Println(steps(t, m, time.Duration(ms)*time.Millisecond))
	}
}

func steps(t *train.Trainer, m model, budget time.Duration) string {
	var took []float64
	var loss float32
	before := processor()
	for begin := time.Now(); len(took) == 0 || time.Since(begin) < budget; {
		at := time.Now()
		out, err := t.TrainStep(nil, []*tensors.Tensor{m.input}, []*tensors.Tensor{m.labels})
		if err != nil {
			log.Fatal(err)
		}
		loss = tensors.ToScalar[float32](out[0])
		took = append(took, float64(time.Since(at))/1e3)
	}
	spent := processor() - before
	slices.Sort(took)
	return fmt.Sprintf(`{"median_us": %.2f, "cpu_us": %.2f, "peak_kb": %s, "loss": %g}`,
		took[len(took)/2], float64(spent.Microseconds())/float64(len(took)), peak(), loss)
}

// processor returns the processor time of this process.
func processor() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		log.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// peak returns the largest memory of this process in kB, or 0 if it is unknown.
func peak() string {
	b, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	if f := strings.Fields(rest); len(f) > 0 {
		return f[0]
	}
	return "0"
}
