package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// row is the speed, in GFLOP/s, of products of n×n matrices.
type row struct {
	n, threads       int
	raw, packed, npy float64 // packed: with the right operand packed before, as weights are
}

// floats allocates as peers do.
func floats(n int) []float32 { return tensor.View[float32](tensor.Aligned(4*n), 0, n) }

// time runs both forms of the product.
func (r *row) time(budget time.Duration) {
	n := r.n
	dst, a, b := floats(n*n), floats(n*n), floats(n*n)
	for i := range a {
		a[i], b[i] = rand.Float32(), rand.Float32()
	}
	packed := floats(cpu.PackB32Size(n, n))
	cpu.PackB32(packed, b, n, n)
	r.raw = max(r.raw, r.speed(budget, func() { cpu.MatMul32(dst, a, b, n, n, n) }))
	r.packed = max(r.packed, r.speed(budget, func() { cpu.MatMulPacked32(dst, a, packed, nil, n, n, n, cpu.ActNone) }))
}

// speed is that of the fastest of the products that f computes one by one.
func (r *row) speed(budget time.Duration, f func()) float64 {
	least := time.Duration(1 << 62)
	for start := time.Now(); time.Since(start) < budget; {
		t := time.Now()
		f()
		least = min(least, time.Since(t))
	}
	return r.gflops(float64(least.Nanoseconds()))
}

func (r *row) gflops(nanoseconds float64) float64 {
	n := float64(r.n)
	return 2 * n * n * n / nanoseconds
}

// script prints the nanoseconds of NumPy's fastest product.
const script = `
import sys, time, numpy as np
n, seconds = int(sys.argv[1]), float(sys.argv[2])
a, b = np.random.rand(n, n).astype('f'), np.random.rand(n, n).astype('f')
c = np.empty_like(a)
best, start = 1e18, time.perf_counter()
while time.perf_counter() - start < seconds:
    t = time.perf_counter_ns()
    np.dot(a, b, out=c)
    best = min(best, time.perf_counter_ns() - t)
print(best)
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
	ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	r.npy = max(r.npy, r.gflops(ns))
	return err
}
