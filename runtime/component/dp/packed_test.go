package dp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// packedSum returns the sum of encoded changes, and their exact mean.
func packedSum(t *testing.T, p Packed, changes [][]float32) (sum tensor.Dense[int32], mean []float64) {
	t.Helper()
	mean = make([]float64, len(changes[0]))
	for i, c := range changes {
		if err := p.Open(env(byte(i))); err != nil {
			t.Fatal(err)
		}
		x, err := p.Encode(context.Background(), tensor.DenseOf(c, len(c)))
		if err != nil {
			t.Fatal(err)
		}
		if sum.Data == nil {
			sum = tensor.DenseOf(make([]int32, len(x.Data)), len(x.Data))
		}
		for k, v := range x.Data {
			sum.Data[k] += v
		}
		for k, v := range c {
			mean[k] += float64(v) / float64(len(changes))
		}
	}
	return sum, mean
}

// The mean of encoded changes is their mean, however many elements they have, and also if all peers have the largest
// elements, of either sign, beside each other.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 4095, 8192, 8193, 20001} {
		for _, peers := range []int{1, 3, 10} {
			p := Packed{Clip: 2, Peers: 10}
			var changes [][]float32
			for range peers {
				c := make([]float32, n)
				for k := range c {
					c[k] = float32((r.Float64()*4 - 2) / math.Sqrt(float64(n+1)))
				}
				changes = append(changes, c)
			}
			checkPacked(t, p, changes)
		}
	}
	for _, c := range [][]float32{{2, 0}, {-2, 0}, {0, 2}, {0, -2}, {0, 0, -2}, {0, 0, 2}} {
		checkPacked(t, Packed{Clip: 2, Peers: 10}, slices.Repeat([][]float32{c}, 10))
	}
}

func checkPacked(t *testing.T, p Packed, changes [][]float32) {
	t.Helper()
	sum, want := packedSum(t, p, changes)
	got, err := p.Mean(context.Background(), sum, float32(len(changes)))
	if err != nil || len(got.Data) != len(want) {
		t.Fatalf("%d elements of %d: %v", len(got.Data), len(want), err)
	}
	for k, w := range want {
		if off := math.Abs(float64(got.Data[k]) - w); !(off <= 1.01*p.Clip/p.levels()) {
			t.Fatalf("element %d of %d is %v, want %v", k, len(want), got.Data[k], w)
		}
	}
}

// Rounding has no bias: the mean of many encodings is the exact number.
func TestPackedUnbiased(t *testing.T) {
	const n = 100000
	x := make([]float32, n) // of norm 1
	for k := range x {
		x[k] = float32(1 / math.Sqrt(n))
	}
	p := Packed{Clip: 1, Peers: 100}
	sum, _ := packedSum(t, p, [][]float32{x})
	got, err := p.Mean(context.Background(), sum, 1)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, v := range got.Data {
		mean += float64(v) / n
	}
	if limit := 5 * 0.5 / p.levels() / math.Sqrt(n); !(math.Abs(mean-1/math.Sqrt(n)) <= limit) {
		t.Errorf("the mean is %v, want %v to %v", mean, 1/math.Sqrt(n), limit)
	}
}

// Sums of other numbers of peers, or of vectors of different lengths, are refused, and so are configurations without room.
func TestPackedRefuses(t *testing.T) {
	p := Packed{Clip: 1, Peers: 3}
	c := []float32{0.5, 0.5, 0.5}
	sum, _ := packedSum(t, p, [][]float32{c, c, c})
	tampered := slices.Clone(sum.Data)
	tampered[len(tampered)-1] -= 1 << 16
	for _, bad := range []struct {
		sum   []int32
		peers float32
	}{{sum.Data, 2}, {sum.Data, 4}, {nil, 3}, {tampered, 3}, {[]int32{3 << 16}, 0}, {[]int32{1 + 1<<16}, 1}} {
		if _, err := p.Mean(context.Background(), tensor.DenseOf(bad.sum, len(bad.sum)), bad.peers); err == nil || !strings.Contains(err.Error(), "dp.Packed: the sum is") {
			t.Errorf("%v of %v: %v", bad.sum, bad.peers, err)
		}
	}
	sum, _ = packedSum(t, Packed{Clip: 1, Peers: 4}, [][]float32{c, c, c, c})
	if _, err := p.Mean(context.Background(), sum, 4); err == nil {
		t.Error("more peers than there is room for are accepted")
	}
	for _, c := range []runtime.Opener{&Packed{Clip: 1}, &Packed{Peers: 1}, &Packed{Clip: 1, Peers: 10001}} {
		if err := c.Open(env(1)); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
