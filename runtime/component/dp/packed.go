package dp

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/keystream"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Packed encodes changes as fixed-point numbers of 16 bits, two in an integer: half as much to mask and to send as by
// [Discrete], which it can replace where there is no noise. Both ends must have the same configuration.
//
// The integer value of Clip is 32767/Peers - 1, and each element is rounded up or down randomly, without bias. So with ten
// peers rounding moves an element of their mean by 0.0001 of Clip at most, and typically by a third of that.
type Packed struct {
	Clip  float64 // the maximum norm; longer changes are scaled down
	Peers int     // the maximum number of peers in a sum, up to 10,000
	source

	encoded *tensor.Memory // of the last result
}

// Open checks the configuration.
func (p *Packed) Open(env runtime.Env) error {
	if p.Peers < 1 || p.Peers > 10000 {
		return fmt.Errorf("dp.Packed: Peers is %d, want 1 to 10000", p.Peers)
	}
	return cmp.Or(checkPositive("dp.Packed: Clip", p.Clip), p.open(env))
}

// levels returns the integer value of Clip. Rounding adds 1 to the absolute value of an element at most, so that sums are
// below 2¹⁵.
func (p *Packed) levels() float64 { return float64(math.MaxInt16/p.Peers - 1) }

// Encode encodes x. It returns an error if an element is not finite. Each integer of the result has an element of the first
// half of x in its lower bits, and one of the second half above; the last one is 1, and 1 above if the number of elements is
// odd. The result is valid until the next call, and as long as others hold its memory.
func (p *Packed) Encode(_ context.Context, x tensor.Dense[float32]) (tensor.Dense[int32], error) {
	square, err := squared(x.Data, 0)
	if err != nil {
		return tensor.Dense[int32]{}, err
	}
	n := len(x.Data)
	half, odd := (n+1)/2, n%2
	p.encoded.Release()
	y := tensor.NewDense[int32](half + 1)
	p.encoded = y.Memory()
	pack(y.Data[:half], x.Data, p.levels()/max(p.Clip, math.Sqrt(square)), keystream.New(p.seed(), 0))
	y.Data[half] = int32(1 + odd<<16)
	return y, nil
}

// pack rounds the elements of x times a scale, and adds those of the second half to the first, shifted.
func pack(y []int32, x []float32, scale float64, r *keystream.Stream) {
	const part = 4096
	var above [part]int32
	low, high := x[:len(y)], x[len(y):]
	for len(y) > 0 {
		n := min(part, len(y))
		m := min(n, len(high))
		fixedPoint(y[:n], low[:n], scale, r)
		fixedPoint(above[:m], high[:m], scale, r)
		for i, v := range above[:m] {
			y[i] += v << 16
		}
		y, low, high = y[n:], low[n:], high[m:]
	}
}

// Mean returns the mean of encoded changes from their sum.
func (p *Packed) Mean(_ context.Context, sum tensor.Dense[int32], peers float32) (tensor.Dense[float32], error) {
	half := len(sum.Data) - 1
	if half < 0 {
		return tensor.Dense[float32]{}, fmt.Errorf("dp.Packed: the sum is empty, want one of encoded changes")
	}
	count, odd := unpack(sum.Data[half])
	if float32(count) != peers || count < 1 || int(count) > p.Peers || odd != 0 && odd != count || int(odd) > int(count)*half {
		return tensor.Dense[float32]{}, fmt.Errorf("dp.Packed: the sum is of %v peers, and says %d (%d odd), want one of at most %d changes with as many elements each", peers, count, odd, p.Peers)
	}
	n := 2 * half
	if odd != 0 {
		n--
	}
	y := tensor.NewDense[float32](n)
	scale := p.Clip / (p.levels() * float64(peers))
	low, high := y.Data[:half], y.Data[half:]
	for i, v := range sum.Data[:half] {
		a, b := unpack(v)
		low[i] = float32(scale * float64(a))
		if i < len(high) {
			high[i] = float32(scale * float64(b))
		}
	}
	return y, nil
}

// unpack returns the two numbers of an integer.
func unpack(v int32) (low, high int16) {
	low = int16(v)
	return low, int16((v - int32(low)) >> 16)
}
