// Package chaos defines the faults that are injected into a test run of a distributed program, with their form
// on the command line: kill=20%,loss=5%.
package chaos

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Spec lists faults.
type Spec struct {
	// Kill is the probability that a peer is killed in a round.
	Kill float64

	// Probabilities for an envelope: it is lost, it is duplicated, it breaks the channel (as damage does with
	// encryption). The sender must detect a loss itself: the channel remains open.
	Loss, Duplicate, Corrupt float64

	// Delay is the transit time of an envelope. The actual time is up to half as long again, so that later ones
	// overtake.
	Delay time.Duration

	// Faults is the maximum number of crashes, broken channels and partitions.
	Faults int
}

// parts lists the names in the text of a Spec.
const parts = "kill=P, loss=P, duplicate=P, corrupt=P, delay=TIME, faults=N"

// Set parses a text such as kill=20%,loss=5%.
func (s *Spec) Set(text string) error {
	*s = Spec{}
	for part := range strings.SplitSeq(text, ",") {
		if err := s.set(strings.TrimSpace(part)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) set(part string) (err error) {
	name, value, _ := strings.Cut(part, "=")
	switch name {
	case "kill":
		s.Kill, err = probability(value)
	case "loss":
		s.Loss, err = probability(value)
	case "duplicate":
		s.Duplicate, err = probability(value)
	case "corrupt":
		s.Corrupt, err = probability(value)
	case "delay":
		if s.Delay, err = time.ParseDuration(value); err != nil || s.Delay <= 0 {
			err = fmt.Errorf("%q is no time above 0, as in 10ms", value)
		}
	case "faults":
		if s.Faults, err = strconv.Atoi(value); err != nil || s.Faults < 1 {
			err = fmt.Errorf("%q is no number of faults above 0", value)
		}
	default:
		return fmt.Errorf("%q is not known, want some of %s", part, parts)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// probability parses 20% and 0.2.
func probability(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	p, err := strconv.ParseFloat(number, 64)
	if percent {
		p /= 100
	}
	if err != nil || !(p > 0 && p <= 1) {
		return 0, fmt.Errorf("%q is no probability above 0, as in 20%% or 0.2", text)
	}
	return p, nil
}

// String returns the text that Set parses.
func (s *Spec) String() string {
	var out []string
	add := func(name string, p float64) {
		if p > 0 {
			out = append(out, name+"="+strconv.FormatFloat(p, 'g', -1, 64))
		}
	}
	add("kill", s.Kill)
	add("loss", s.Loss)
	add("duplicate", s.Duplicate)
	add("corrupt", s.Corrupt)
	if s.Delay > 0 {
		out = append(out, "delay="+s.Delay.String())
	}
	add("faults", float64(s.Faults))
	return strings.Join(out, ",")
}

// Envelopes returns the part that concerns envelopes.
func (s *Spec) Envelopes() Spec {
	return Spec{Loss: s.Loss, Duplicate: s.Duplicate, Corrupt: s.Corrupt, Delay: s.Delay}
}
