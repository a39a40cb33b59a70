// Command worker becomes the main of a generated trainer in package model: it steps for as many milliseconds
// as each line of its input contains, and prints the time.
//
//	worker BATCH CLASSES THREADS
package main

import (
	"bufio"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"peer.bbgen.local/model"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func main() {
	log.SetFlags(0)
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(os.Args[1+i])
	}
	cpu.SetThreads(n[2])
	p := model.TrainProgram()
	s, err := p.New(0)
	if err != nil {
		log.Fatal(err)
	}
	for i, port := range append(p.Inputs, p.Targets...) {
		if err := s.SetInput(i, random(port, n[0], n[1])); err != nil {
			log.Fatal(err)
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		ms, _ := strconv.Atoi(lines.Text())
		fmt.Println(steps(s, time.Duration(ms)*time.Millisecond))
	}
}

// random returns a value for a port; integers are below classes.
func random(port runtime.Port, batch, classes int) *tensor.Tensor {
	r := rand.New(rand.NewPCG(1, 1))
	var shape []int
	for _, d := range port.Dims {
		n, err := strconv.Atoi(d)
		if err != nil {
			n = batch
		}
		shape = append(shape, n)
	}
	t := tensor.New(port.Elem, shape...)
	for i := range t.Len() {
		switch d := t.Data.(type) {
		case []float32:
			d[i] = r.Float32()
		case []int64:
			d[i] = r.Int64N(int64(classes))
		}
	}
	return t
}

func steps(s runtime.TrainSession, budget time.Duration) string {
	var took []float64
	var loss float64
	before := processor()
	for begin := time.Now(); len(took) == 0 || time.Since(begin) < budget; {
		t := time.Now()
		var err error
		if loss, err = s.Step(1e-6); err != nil {
			log.Fatal(err)
		}
		took = append(took, float64(time.Since(t))/1e3)
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
