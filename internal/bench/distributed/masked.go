package main

import (
	"fmt"
	"log"
	"time"
)

// hiding is how many clients a masked round has, and losses how often two of them are killed.
const (
	hiding = 10
	losses = 5
)

// maskedRounds compares rounds in which masks hide the changes with plain ones. Two clients are killed in some of them.
func (b *bench) maskedRounds(host string) error {
	plain, err := b.roundsAndLosses("program", host, "a round, 10 clients, 1.66 M parameters")
	if err != nil {
		return err
	}
	masked, err := b.roundsAndLosses("masked", host, "a masked round, 10 clients, 1.66 M parameters")
	if err != nil {
		return err
	}
	log.Printf("  with masks: %.2f of a plain round; two clients killed: %.2f", masked[0]/plain[0], masked[1]/plain[1])
	return nil
}

// roundsAndLosses measures rounds of a program, and rounds in whose middle two clients are killed. It returns the
// medians in ms.
func (b *bench) roundsAndLosses(pkg, host, figure string) (medians [2]float64, err error) {
	s := federation(host, hiding, large)
	s.fails = true
	err = b.run(pkg, s, func(f *fleet) error {
		times, err := b.timedRounds(f)
		if err != nil {
			return err
		}
		whole := timed(figure, host, times, 0, "")
		b.add(whole)
		times = nil
		for range losses {
			d, err := f.loseTwo(time.Duration(whole.Value*1e6) / 2)
			if err != nil {
				return err
			}
			times = append(times, d)
		}
		short := timed(figure+", two of them killed in its middle", host, times, 0, "")
		b.add(short)
		medians = [2]float64{whole.Value, short.Value}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", figure, err)
	}
	return medians, err
}

// loseTwo kills two clients some time after the beginning of a round, and returns how long the round takes. Then it
// starts them again.
func (f *fleet) loseTwo(after time.Duration) (time.Duration, error) {
	if _, err := f.rounds(1); err != nil {
		return 0, err
	}
	time.Sleep(after)
	for _, i := range []int{hiding - 1, hiding} {
		if err := f.Kill(i); err != nil {
			return 0, err
		}
	}
	d, err := f.round()
	if err != nil {
		return 0, err
	}
	for _, i := range []int{hiding - 1, hiding} {
		if err := f.Restart(i); err != nil {
			return 0, err
		}
		if _, err := f.until("peer up", fmt.Sprint("client-", i-1)); err != nil {
			return 0, err
		}
	}
	return d, nil
}
