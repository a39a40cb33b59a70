package run

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// chaos is the flag that says what goes wrong.
type chaos struct {
	text   string
	kill   float64 // probability for a peer and a round
	loss   float64 // of an envelope
	delay  time.Duration
	faults int
}

// Set reads the flag: kill=20%,loss=5%.
func (c *chaos) Set(text string) error {
	*c = chaos{text: text}
	for part := range strings.SplitSeq(text, ",") {
		if err := c.set(strings.TrimSpace(part)); err != nil {
			return err
		}
	}
	return nil
}

func (c *chaos) set(part string) (err error) {
	name, value, _ := strings.Cut(part, "=")
	switch name {
	case "kill":
		c.kill, err = probability(value)
	case "loss":
		c.loss, err = probability(value)
	case "delay":
		if c.delay, err = time.ParseDuration(value); err != nil || c.delay <= 0 {
			err = fmt.Errorf("%q is no time above 0, as in 10ms", value)
		}
	case "faults":
		if c.faults, err = strconv.Atoi(value); err != nil || c.faults < 1 {
			err = fmt.Errorf("%q is no number of faults above 0", value)
		}
	default:
		return fmt.Errorf("%q is not known, want kill=P, or loss=P, delay=TIME, faults=N with --sim", part)
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

// String is the flag as given.
func (c *chaos) String() string { return c.text }

// Type is what help calls the value.
func (c *chaos) Type() string { return "chaos" }

// fits says what cannot be done in the way that the peers run.
func (c *chaos) fits(sim bool) error {
	switch {
	case sim && c.kill > 0:
		return cli.Usagef("--chaos kill: only processes are killed; with --sim, faults=N has peers crash")
	case !sim && c.loss+float64(c.delay)+float64(c.faults) > 0:
		return cli.Usagef("--chaos %s: loss, delay and faults are those of the simulated network; add --sim (processes are killed: kill=20%%)", c.text)
	}
	return nil
}

// killer chooses whom to kill.
type killer struct {
	p    float64
	dice *rand.Rand
}

func newKiller(p float64, seed uint64) *killer {
	return &killer{p, rand.New(rand.NewPCG(seed, 0xc4a05))}
}

// victims are the peers that do not survive a round. One of each class does, so
// that classes of one peer are left alone. Dice are thrown for all, whatever state
// they are in.
func (k *killer) victims(rows []row) []int {
	up := map[string]int{}
	for i := range rows {
		if rows[i].running() {
			up[rows[i].class]++
		}
	}
	var out []int
	for i := range rows {
		r := &rows[i]
		if k.dice.Float64() < k.p && r.running() && up[r.class] > 1 {
			up[r.class]--
			out = append(out, i)
		}
	}
	return out
}
