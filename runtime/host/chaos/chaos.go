// Package chaos says what goes wrong on purpose while a distributed program is
// tried out, in the words of the command line: kill=20%,loss=5%.
package chaos

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Spec is what goes wrong.
type Spec struct {
	// Kill is how likely a peer is killed in a round.
	Kill float64

	// What happens to an envelope: it is lost, it comes twice, it breaks the
	// channel (which is what an encrypted one makes of damage). Lost is what the
	// sender must notice itself: the channel stays as it is.
	Loss, Duplicate, Corrupt float64

	// Delay is how long an envelope is under way, and up to half as long again, so
	// that later ones overtake.
	Delay time.Duration

	// Faults is how many crashes, broken channels and partitions there are at most.
	Faults int
}

// parts are the names in the text of a Spec.
const parts = "kill=P, loss=P, duplicate=P, corrupt=P, delay=TIME, faults=N"

// Set reads a text such as kill=20%,loss=5%.
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

// probability reads 20% and 0.2.
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

// String is the text that Set reads.
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

// Envelopes is the part that is about envelopes.
func (s *Spec) Envelopes() Spec {
	return Spec{Loss: s.Loss, Duplicate: s.Duplicate, Corrupt: s.Corrupt, Delay: s.Delay}
}
