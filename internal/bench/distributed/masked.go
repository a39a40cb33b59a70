package main

import (
	"fmt"
	"log"
	"slices"
	"time"
)

const (
	hiding = 10  // clients of a masked round
	pairs  = 5   // how often fleets of both programs run, one after the other, so that both find the machine alike
	losses = 3   // rounds of each fleet in whose middle two clients are killed
	dear   = 1.3 // the most that a masked round may cost, in plain ones
)

// lap is what was measured of one fleet, by [kinds]: rounds without losses and rounds in whose middle two clients are killed.
// Processor times are of all peers that live to the end of a round; those of rounds without losses are one mean.
type lap [2]struct{ times, busy []time.Duration }

var kinds = [2]string{"", ", two of them killed in its middle"}

// maskedRounds compares rounds in which masks hide the changes with plain ones. Two clients are killed in some of them.
func (b *bench) maskedRounds(host string) error {
	programs := []string{"program", "masked"}
	laps := map[string][]lap{}
	for i := range pairs {
		for _, pkg := range programs {
			x, err := b.lap(pkg, host)
			if err != nil {
				return fmt.Errorf("%s: %w", pkg, err)
			}
			log.Printf("  fleet %d of %s: a round %v, processor time %v; two clients killed: %v, %v", i+1, pkg, median(x[0].times), median(x[0].busy), median(x[1].times), median(x[1].busy))
			laps[pkg] = append(laps[pkg], x)
		}
		slices.Reverse(programs) // the machine may become slower or faster meanwhile
	}
	for _, r := range comparison(host, laps["program"], laps["masked"]) {
		b.add(r)
	}
	return nil
}

// comparison returns the rows for the laps of plain and masked fleets. The ratios are of fleets that ran one after the other.
func comparison(host string, plain, masked []lap) (rows []row) {
	for kind, end := range kinds {
		times := func(l lap) []time.Duration { return l[kind].times }
		busy := func(l lap) []time.Duration { return l[kind].busy }
		figure := "10 clients, 1.66 M parameters" + end
		rows = append(rows, compared("", figure, host, plain, masked, times)...)
		rows = append(rows, compared("processor time of ", figure, host, plain, masked, busy)...)
	}
	return rows
}

// compared returns the rows for one kind of times.
func compared(name, figure, host string, plain, masked []lap, times func(lap) []time.Duration) []row {
	var all [2][]time.Duration
	var ratios []float64
	for i := range plain {
		x, y := times(plain[i]), times(masked[i])
		all[0], all[1] = append(all[0], x...), append(all[1], y...)
		ratios = append(ratios, float64(median(y))/float64(median(x)))
	}
	return []row{
		timed(name+"a round, "+figure, host, all[0], 0, ""),
		timed(name+"a masked round, "+figure, host, all[1], 0, ""),
		spread(row{Figure: name + "a masked round in plain ones, " + figure, Host: host, Bound: "≤", Bar: dear}, ratios),
	}
}

// median returns the median of times.
func median(list []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

// lap measures some rounds of a program, and rounds in whose middle two clients are killed.
func (b *bench) lap(pkg, host string) (x lap, err error) {
	s := federation(host, hiding, large)
	s.fails = true
	err = b.run(pkg, s, func(f *fleet) error {
		times, busy, err := f.timedRounds(max(b.rounds/pairs, 1))
		if err != nil {
			return err
		}
		x[0].times, x[0].busy = times, []time.Duration{sum(busy)}
		half := median(times) / 2
		for range losses {
			if err := f.loseTwo(half, &x); err != nil {
				return err
			}
		}
		return nil
	})
	return x, err
}

// loseTwo kills two clients some time after the beginning of a round, and measures that round. Then it starts them again.
func (f *fleet) loseTwo(after time.Duration, x *lap) error {
	if _, err := f.rounds(1); err != nil {
		return err
	}
	const left = hiding + 1 - 2 // peers, the server among them
	before, err := f.busy(left)
	if err != nil {
		return err
	}
	time.Sleep(after)
	killed := []int{left, left + 1}
	for _, i := range killed {
		if err := f.Kill(i); err != nil {
			return err
		}
	}
	d, err := f.round()
	if err != nil {
		return err
	}
	busy, err := f.busy(left)
	if err != nil {
		return err
	}
	x[1].times, x[1].busy = append(x[1].times, d), append(x[1].busy, sum(busy)-sum(before))
	for _, i := range killed {
		if err := f.Restart(i); err != nil {
			return err
		}
		if _, err := f.until("peer up", fmt.Sprint("client-", i-1)); err != nil {
			return err
		}
	}
	return nil
}
