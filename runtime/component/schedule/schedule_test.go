package schedule

import (
	"math"
	"testing"
)

// The values are those of PyTorch's schedulers with the same settings.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want map[int]float64
	}{
		{"constant", 10, map[int]float64{0: 0.1, 9: 0.1}},
		{"step,every=3,gamma=0.5", 10, map[int]float64{0: 0.1, 2: 0.1, 3: 0.05, 5: 0.05, 6: 0.025}},
		{"cosine", 10, map[int]float64{0: 0.1, 5: 0.05, 7: 0.02061073738537635, 10: 0, 20: 0}},
		{"cosine,min=0.01", 10, map[int]float64{0: 0.1, 5: 0.055, 10: 0.01}},
		{"cosine,warmup=2", 12, map[int]float64{0: 0.05, 1: 0.1, 2: 0.1, 7: 0.05, 12: 0}},
		{"polynomial,power=2", 10, map[int]float64{0: 0.1, 5: 0.025, 10: 0}},
		{"onecycle", 10, map[int]float64{0: 0.004, 1: 0.052, 2: 0.1, 5: 0.06112620219, 9: 4e-7}},
		{"onecycle,start=0.5", 2, map[int]float64{0: 0.1, 1: 4e-7}}, // it begins at the top
		{"warmup,warmup=4", 10, map[int]float64{0: 0.025, 1: 0.05, 3: 0.1, 4: 0.1, 9: 0.1}},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for at, want := range c.want {
			if got := s.Rate(0.1, at, c.n); !(math.Abs(got-want) <= 1e-8) { // also if it is NaN
				t.Errorf("%s: rate %d is %.9g, want %.9g", c.text, at, got, want)
			}
		}
	}
}

// Every schedule has a finite rate at every update, however few there are.
func TestFinite(t *testing.T) {
	for _, k := range kinds {
		for n := range 8 {
			s, err := Parse(k.name)
			if err != nil {
				t.Fatal(err)
			}
			for at := range n + 2 {
				if r := s.Rate(1, at, n); r < 0 || r > 1 || math.IsNaN(r) {
					t.Errorf("%s: rate %d of %d is %g", k.name, at, n, r)
				}
			}
		}
	}
}

// TestParseRefuses checks the errors for malformed schedules.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                 `there is no schedule ""; there are: constant, cosine, onecycle, polynomial, step, warmup`,
		"cosine,power":     `schedule cosine: "power": want KEY=NUMBER`,
		"cosine,power=1":   `schedule cosine: there is no setting "power"; there are: min, warmup`,
		"step,every=0":     `schedule step: every is 0, want a whole number above 0`,
		"step,gamma=NaN":   `schedule step: "gamma=NaN": want KEY=NUMBER`,
		"step,warmup=1.5":  `schedule step: warmup is 1.5, want a number of updates`,
		"onecycle,start=1": `schedule onecycle: start is 1, want a fraction of the updates`,
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
