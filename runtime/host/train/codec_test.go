package train

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/collective"
)

// lane identifies the rounding errors of a peer of a circle.
type lane struct{ rank, number int }

// SumAs is Sum for values that are rounded on their way there and back, with feedback.
func (o one) SumAs(c collective.Codec, number int, a Addend) error {
	x := make([]float32, a.Len)
	a.Write(x)
	err := o.sumAs(c, number, x)
	if err == nil {
		a.Read(x)
	}
	return err
}

func (o one) sumAs(c collective.Codec, number int, x []float32) error {
	if c == collective.Exact {
		return o.sumOn(number, x)
	}
	there, back := o.lost(lane{o.rank, number}, len(x)), o.lost(lane{-1 - o.rank, number}, len(x))
	round(c, x, there)
	if err := o.sumOn(number, x); err != nil {
		return err
	}
	round(c, x, back) // all have the same error
	return nil
}

func (o one) lost(l lane, n int) []float32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.losses[l] == nil {
		o.losses[l] = make([]float32, n)
	}
	return o.losses[l]
}

// round sets x to its received value.
func round(c collective.Codec, x, lost []float32) {
	for i := range x {
		x[i] += lost[i]
		lost[i] = x[i]
	}
	c.Round(x)
	for i := range x {
		lost[i] -= x[i]
	}
}

// TestTeamCodec trains with gradients in fewer bits: the loss is about that of an exact training, and two runs
// have the same bits.
func TestTeamCodec(t *testing.T) {
	alone := t.TempDir()
	if err := Run(t.Context(), split(nil), points(125), teamOptions(t, alone)); err != nil {
		t.Fatal(err)
	}
	want := lastLoss(t, alone)
	for _, c := range []collective.Codec{collective.BFloat16, collective.Int8} {
		for _, bucket := range []int{1, 1 << 20} {
			var first map[string]string
			for range 2 {
				dir := t.TempDir()
				opt := teamOptions(t, dir)
				opt.Codec, opt.bucketBytes = c, bucket
				if errs, _ := runTogether(t.Context(), 3, opt, calmly); errors.Join(errs...) != nil {
					t.Fatal(errs)
				}
				if got := lastLoss(t, dir); !(math.Abs(got-want) <= 0.02*want) {
					t.Errorf("%v, buckets of %d bytes: the loss is %v in the end, want about %v", c, bucket, got, want)
				}
				now := results(t, dir)
				for name := range first {
					if now[name] != first[name] {
						t.Errorf("%v: %s differs from one run to the next", c, name)
					}
				}
				first = now
			}
		}
	}
}

// lastLoss returns the loss of the last validation.
func lastLoss(t *testing.T, dir string) float64 {
	t.Helper()
	loss := 0.0
	for text := range strings.Lines(results(t, dir)["metrics"]) {
		var l Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if l.ValLoss != nil {
			loss = *l.ValLoss
		}
	}
	if loss == 0 {
		t.Fatal("there was no validation")
	}
	return loss
}

// TestCodecFlag checks the names of codecs, and that a single training refuses them.
func TestCodecFlag(t *testing.T) {
	if c, err := parseCodec("int8"); c != collective.Int8 || err != nil {
		t.Errorf("got %v, %v", c, err)
	}
	if _, err := parseCodec("int4"); err == nil {
		t.Error("int4 is taken")
	}
}
