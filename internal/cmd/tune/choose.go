package tune

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/bbgen/bbgen/ir/pass"
)

// worth is the relative saving of time from which another choice is made. Less could be noise.
const worth = 0.03

// row is an alternative to a choice of the cost model.
type row struct {
	pass.Choice
	model string
}

// gain returns the microseconds that the measured choice saves.
func (r row) gain() float64 { return r.Time[r.model] - r.Time[r.Pick] }

// choose selects the fastest alternative for each node, and for the layout.
func choose(model string, usual *pass.Report, ways []way) (*pass.Tuning, []row) {
	t := &pass.Tuning{Model: model, Level: ways[0].level, Threads: ways[0].threads, Layout: pass.ChannelsLast, Choices: []pass.Choice{}}
	byName := map[string]*way{}
	for i, w := range ways {
		byName[w.options.Conv+w.options.Layout] = &ways[i]
	}
	var rows []row
	for _, c := range usual.Choices {
		r := row{pass.Choice{Node: c.Node, What: c.What, Pick: c.Pick, Time: map[string]float64{}}, c.Pick}
		for _, pick := range pass.ConvAlgorithms {
			r.Time[pick] = byName[pick].nodes[c.Node]
		}
		r.Pick = faster(c.Pick, r.Time)
		rows = append(rows, r)
		t.Choices = append(t.Choices, r.Choice)
	}
	if first := byName[pass.ChannelsFirst]; first != nil {
		t.Time = map[string]float64{pass.ChannelsFirst: first.total(), pass.ChannelsLast: lastTotal(&ways[0], rows)}
		t.Layout = faster(pass.ChannelsLast, t.Time)
	}
	return t, rows
}

// lastTotal returns the time of a run with the channels last and the selected alternatives, given one with
// only direct convolutions.
func lastTotal(direct *way, rows []row) float64 {
	sum := direct.total()
	for _, r := range rows {
		sum += r.Time[r.Pick] - r.Time[pass.Direct]
	}
	return sum
}

// faster returns the fastest alternative, or usual if the saving is too small.
func faster(usual string, time map[string]float64) string {
	best := usual
	for _, w := range slices.Concat(pass.ConvAlgorithms, []string{pass.ChannelsLast, pass.ChannelsFirst}) {
		if us, ok := time[w]; ok && us > 0 && us < time[best] {
			best = w
		}
	}
	if time[best] > (1-worth)*time[usual] {
		return usual
	}
	return best
}

// table prints the choices, ordered by gain.
func table(t *pass.Tuning, rows []row) string {
	if len(rows) == 0 && t.Time == nil {
		return fmt.Sprintf("%s: there is nothing to choose: no node can be computed in several ways\n", t.Model)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, threads: %d\n\n", t.Model, t.Level, t.Threads)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "node\tsizes\tmodel\tmeasured\tdirect µs\twinograd µs\t2×2 µs\tgain µs")
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int {
		switch d := b.gain() - a.gain(); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	gain, other := 0.0, 0
	for _, r := range rows {
		saved := ""
		if r.Pick != r.model {
			saved = fmt.Sprintf("%.1f", r.gain())
			gain += r.gain()
			other++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.1f\t%.1f\t%.1f\t%s\n", r.Node, r.What, r.model, r.Pick, r.Time[pass.Direct], r.Time[pass.ByWinograd], r.Time[pass.BySmallWinograd], saved)
	}
	w.Flush()
	text := trimmed(b.String())
	b.Reset()
	b.WriteString(text)
	if t.Time != nil {
		last := t.Time[pass.ChannelsLast]
		fmt.Fprintf(&b, "\nchannels %s: all nodes take %.1f µs with them last, %.1f µs with them first\n", t.Layout, last, t.Time[pass.ChannelsFirst])
		fmt.Fprintf(&b, "%d of %d convolutions in another way than the cost model's: %.1f µs of %.1f µs less (%.1f%%)\n", other, len(rows), gain, last+gain, 100*gain/(last+gain))
	}
	return b.String()
}

// trimmed removes blanks at the ends of lines.
func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}
