package train

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
)

// For a curve that falls fastest at one rate and diverges at another, the first is suggested, and the test
// ends after the second.
func TestRateCurve(t *testing.T) {
	for _, c := range []struct{ fall, explode float64 }{{1e-4, 1e-2}, {1e-2, 1}, {0.05, 1}} {
		r := &RateTest{}
		for k := range 200 {
			rate := 1e-7 * math.Pow(1e8, float64(k)/199)
			loss := 1 + 1/(1+math.Pow(rate/c.fall, 2)) + math.Pow(rate/c.explode, 3)
			if r.add(rate, loss) {
				break
			}
		}
		r.suggest()
		// The running mean follows some points later than the losses.
		if r.Suggestion < c.fall || r.Suggestion > 4*c.fall || r.Lowest < r.Suggestion || !r.Diverged {
			t.Errorf("suggests %g, lowest at %g, diverged %v; want it behind %g", r.Suggestion, r.Lowest, r.Diverged, c.fall)
		}
		if last := r.Points[len(r.Points)-1].Rate; last > 10*c.explode {
			t.Errorf("it ends at %g, want soon after %g", last, c.explode)
		}
	}
}

// If the loss grows with the rate, or is not finite, there is no suggestion.
func TestRateNone(t *testing.T) {
	r := &RateTest{}
	for k := range 50 {
		r.add(float64(k+1), float64(k))
	}
	if r.suggest(); r.Suggestion != 0 || !strings.HasSuffix(r.String(), "falls at none of these rates") {
		t.Errorf("suggests %g: %s", r.Suggestion, r)
	}
	if r = (&RateTest{}); !r.add(1, math.NaN()) || !r.Diverged || len(r.Points) != 0 {
		t.Errorf("a loss of NaN: %+v", r)
	}
	if r.suggest(); r.Suggestion != 0 || r.String() == "" {
		t.Errorf("nothing measured suggests %g", r.Suggestion)
	}
}

// The test of a program has the same result each time, suggests a rate that trains better than a much smaller
// one, and writes no files.
func TestFindRate(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	find := func() *RateTest {
		r, err := FindRate(t.Context(), program(nil, nil), points(100), 1e-5, 10, Options{Batch: 10, Steps: 150, Epochs: 1, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := find()
	if !reflect.DeepEqual(r, find()) {
		t.Error("the second test differs")
	}
	if n := len(r.Points); n != 150 || r.Points[0].Rate != 1e-5 || !(math.Abs(r.Points[n-1].Rate-10) <= 1e-9) {
		t.Errorf("%d points from %g to %g, want 150 from 1e-5 to 10", n, r.Points[0].Rate, r.Points[n-1].Rate)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it has written %v: %v", left, err)
	}
	best := func(rate float64) float64 {
		opt := options(t, t.TempDir())
		opt.Rate = rate
		if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
			t.Fatal(err)
		}
		var last Line
		b, _ := os.ReadFile(opt.Metrics)
		for line := range strings.Lines(string(b)) {
			var l Line
			if json.Unmarshal([]byte(line), &l); l.ValLoss != nil {
				last = l
			}
		}
		return *last.ValLoss
	}
	if at, below := best(r.Suggestion), best(r.Suggestion/100); !(at < below) {
		t.Errorf("a loss of %g with the rate that is suggested, %g, and %g with a hundredth", at, r.Suggestion, below)
	}
}

// The command line prints the curve or JSON, and refuses invalid ranges.
func TestFindRateFlags(t *testing.T) {
	csv := t.TempDir() + "/points.csv"
	text := "a,b,class\n"
	for _, line := range strings.Fields("1,1,1 2,0,1 -1,0,0 0,-1,0 1,2,1 -2,0,0") {
		text += line + "\n"
	}
	if err := os.WriteFile(csv, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	do := func(args ...string) (int, string) {
		var out strings.Builder
		code := Do(program(nil, nil), append([]string{"-data", csv, "-val-split", "0", "-batch", "3", "-find-lr"}, args...), &out, &out)
		return code, out.String()
	}
	if code, out := do(); code != 0 || !strings.HasPrefix(out, "lr        loss\n2.1e-07 ") || !strings.Contains(out, "\ntry --lr ") {
		t.Errorf("exit code %d: %s", code, out)
	}
	var r RateTest
	if code, out := do("-json", "-steps", "40", "-lr-range", "1e-3:1"); code != 0 || json.Unmarshal([]byte(out), &r) != nil || len(r.Points) != 40 || r.Points[0].Rate != 1e-3 {
		t.Errorf("exit code %d, %d points: %s", code, len(r.Points), out)
	}
	for _, bad := range []string{"1", "1:2:3", "1:0.1", "0:1", "1:Inf", "x:y"} {
		if code, out := do("-lr-range", bad); code == 0 || !strings.Contains(out, "want two rates above 0") {
			t.Errorf("%s: exit code %d: %s", bad, code, out)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("it has written %v: %v", left, err)
	}
}
