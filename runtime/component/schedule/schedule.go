// Package schedule computes the learning rate of each update of a training. It depends neither on the
// training nor on the optimizer.
package schedule

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Schedule is the learning rate as a function of the number of updates.
type Schedule struct {
	kind   *kind
	values map[string]float64
	warmup float64
}

// kind is a kind of schedule: the rate at update t of n, counted from 0 after the warm-up.
type kind struct {
	name string
	keys []key
	rate func(s *Schedule, base, t, n float64) float64
}

// key is a setting of a schedule.
type key struct {
	name  string
	value float64 // unless it is given
	ok    func(float64) bool
	want  string
}

func positive(x float64) bool { return x > 0 }
func natural(x float64) bool  { return x >= 0 && x == math.Trunc(x) }
func fraction(x float64) bool { return x > 0 && x < 1 }

// minRate is the setting for the final rate.
var minRate = key{"min", 0, func(x float64) bool { return x >= 0 }, "none below 0"}

// kinds are all schedules, with their settings.
var kinds = []*kind{
	{name: "constant", rate: constant},
	{name: "cosine", keys: []key{minRate}, rate: cosine},
	{name: "onecycle", keys: []key{
		{"start", 0.3, fraction, "a fraction of the updates"},
		{"div", 25, positive, "more than 0"},
		{"final", 1e4, positive, "more than 0"},
	}, rate: oneCycle},
	{name: "polynomial", keys: []key{minRate, {"power", 1, positive, "more than 0"}}, rate: polynomial},
	{name: "step", keys: []key{
		{"every", 1000, func(x float64) bool { return natural(x) && x > 0 }, "a whole number above 0"},
		{"gamma", 0.1, positive, "more than 0"},
	}, rate: step},
	{name: "warmup", rate: constant},
}

// warmups returns the default number of warm-up updates.
func (k *kind) warmups() float64 {
	if k.name == "warmup" {
		return 100
	}
	return 0
}

// Parse reads a schedule: its name, and settings after commas.
//
//	constant
//	step,every=1000,gamma=0.1       times gamma after every so many updates
//	cosine,min=0                    half a cosine down to min
//	polynomial,power=1,min=0        down to min with the power of the updates left
//	onecycle,start=0.3,div=25,final=1e4  up from rate/div, down to rate/div/final
//	warmup                          up along a line, then constant
//
// Each takes warmup=N: N updates in front whose rate grows along a line.
func Parse(text string) (*Schedule, error) {
	name, rest, _ := strings.Cut(text, ",")
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no schedule %q; there are: %s", name, Names())
	}
	s := &Schedule{kind: kinds[i], values: map[string]float64{}, warmup: kinds[i].warmups()}
	for _, k := range s.kind.keys {
		s.values[k.name] = k.value
	}
	for setting := range strings.SplitSeq(rest, ",") {
		if setting == "" {
			continue
		}
		if err := s.set(setting); err != nil {
			return nil, fmt.Errorf("schedule %s: %w", name, err)
		}
	}
	return s, nil
}

func (s *Schedule) set(setting string) error {
	name, text, _ := strings.Cut(setting, "=")
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%q: want KEY=NUMBER", setting)
	}
	if name == "warmup" {
		if !natural(x) {
			return fmt.Errorf("warmup is %g, want a number of updates", x)
		}
		s.warmup = x
		return nil
	}
	for _, k := range s.kind.keys {
		if k.name != name {
			continue
		}
		if !k.ok(x) {
			return fmt.Errorf("%s is %g, want %s", name, x, k.want)
		}
		s.values[name] = x
		return nil
	}
	return fmt.Errorf("there is no setting %q; there are: %s", name, s.kind.settings())
}

func (k *kind) settings() string {
	names := make([]string, 0, len(k.keys)+1)
	for _, k := range k.keys {
		names = append(names, k.name)
	}
	return strings.Join(append(names, "warmup"), ", ")
}

// Names returns the names of all schedules.
func Names() string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return strings.Join(names, ", ")
}

// Rate returns the learning rate of update t, counted from 0, of a training of n updates with the given base
// rate.
func (s *Schedule) Rate(base float64, t, n int) float64 {
	at, total := float64(t), float64(n)
	if at < s.warmup {
		return base * (at + 1) / s.warmup
	}
	return s.kind.rate(s, base, at-s.warmup, max(total-s.warmup, 1))
}

func constant(_ *Schedule, base, _, _ float64) float64 { return base }

func step(s *Schedule, base, t, _ float64) float64 {
	return base * math.Pow(s.values["gamma"], math.Floor(t/s.values["every"]))
}

func cosine(s *Schedule, base, t, n float64) float64 {
	return between(base, s.values["min"], min(t/n, 1))
}

func polynomial(s *Schedule, base, t, n float64) float64 {
	left := math.Pow(1-min(t/n, 1), s.values["power"])
	return s.values["min"] + (base-s.values["min"])*left
}

// oneCycle goes up to base in the first updates and down in the rest, along
// cosines; the last update has the lowest rate.
func oneCycle(s *Schedule, base, t, n float64) float64 {
	first := base / s.values["div"]
	top := s.values["start"]*n - 1
	if top > 0 && t <= top {
		return between(first, base, t/top)
	}
	return between(base, first/s.values["final"], min((t-top)/(n-1-top), 1))
}

// between interpolates from a at 0 to b at 1, along half a cosine.
func between(a, b, x float64) float64 { return b + (a-b)*(1+math.Cos(math.Pi*x))/2 }
