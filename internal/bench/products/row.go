package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"time"
	"unsafe"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// row is the speeds, in GFLOP/s, of the products of n×n matrices.
type row struct {
	n, threads  int
	kind        kind
	raw, packed []interval // packed: with a right operand that was packed before, like weights
	npy         []float64  // of single products
}

// interval is the median speed of some products in turn, and the peak just after them: where neighbors compute, both change within
// seconds.
type interval struct{ speed, peak float64 }

func speedOf(i interval) float64 { return i.speed }

func peakOf(i interval) float64 { return i.peak }

// aligned returns memory of n elements like that of peers: aligned, and in large pages where the system has them.
func aligned[T tensor.Element](n int) []T {
	return tensor.View[T](tensor.Aligned(n*int(unsafe.Sizeof(*new(T)))), 0, n)
}

func floats(n int) []float32 { return aligned[float32](n) }

// time times both forms of the product, and the same number of multiply-adds, in turn.
func (r *row) time(budget time.Duration) {
	switch r.kind {
	case bytes:
		r.timeBytes(budget)
	case halves:
		r.timeHalves(budget)
	default:
		r.timeFloats(budget)
	}
}

func (r *row) timeFloats(budget time.Duration) {
	n := r.n
	dst, a, b := floats(n*n), floats(n*n), floats(n*n)
	for i := range a {
		a[i], b[i] = rand.Float32(), rand.Float32()
	}
	packed := floats(cpu.PackB32Size(n, n))
	cpu.PackB32(packed, b, n, n)
	r.raw = append(r.raw, r.speeds(budget, func() { cpu.MatMul32(dst, a, b, n, n, n) })...)
	r.packed = append(r.packed, r.speeds(budget, func() { cpu.MatMulPacked32(dst, a, packed, nil, n, n, n, cpu.ActNone) })...)
}

// speeds times products that f computes one after the other. The first product of an interval does not count: it starts the
// threads, which OpenBLAS's products do not have to do.
func (r *row) speeds(budget time.Duration, f func()) (all []interval) {
	for start := time.Now(); time.Since(start) < budget; {
		f()
		var single []float64
		for some := time.Now(); ; {
			t := time.Now()
			f()
			single = append(single, r.gflops(float64(time.Since(t).Nanoseconds())))
			if time.Since(some) > budget/8 {
				break
			}
		}
		all = append(all, interval{median(single), r.kind.peak(r.threads, 2*r.n*r.n*r.n)})
	}
	return all
}

func (r *row) gflops(nanoseconds float64) float64 {
	n := float64(r.n)
	return 2 * n * n * n / nanoseconds
}

// script prints the nanoseconds of each of NumPy's products except the first.
const script = `
import sys, time, numpy as np
n, seconds = int(sys.argv[1]), float(sys.argv[2])
a, b = np.random.rand(n, n).astype('f'), np.random.rand(n, n).astype('f')
c, times = np.dot(a, b), []
start = time.perf_counter()
while time.perf_counter() - start < seconds:
    t = time.perf_counter_ns()
    np.dot(a, b, out=c)
    times.append(time.perf_counter_ns() - t)
print(times)
`

// numpy times the product of NumPy.
func (r *row) numpy(python string, budget time.Duration) error {
	c := exec.Command(python, "-c", script, strconv.Itoa(r.n), fmt.Sprint(budget.Seconds()))
	c.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+strconv.Itoa(r.threads))
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", python, err)
	}
	var times []float64
	if err := json.Unmarshal(out, &times); err != nil {
		return fmt.Errorf("%s: %w", python, err)
	}
	for _, ns := range times {
		r.npy = append(r.npy, r.gflops(ns))
	}
	return nil
}
