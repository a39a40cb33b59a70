package main

import (
	"fmt"
	"log"
	"time"
)

const (
	kills    = 9
	restarts = 5
)

// killClients kills one of two clients in the middle of a round, and measures the time until the server has
// finished the round with the other.
func (b *bench) killClients(host string) error {
	return b.run("program", federation(host, 2, large), func(f *fleet) error {
		var noticed, finished []time.Duration
		for range kills {
			if _, err := f.rounds(1); err != nil {
				return err
			}
			at := time.Now()
			if err := f.Kill(2); err != nil {
				return err
			}
			l, err := f.until("peer down", "client-1")
			if err != nil {
				return err
			}
			noticed = append(noticed, l.Time.Sub(at))
			if _, err := f.round(); err != nil {
				return err
			}
			finished = append(finished, f.end.Sub(at))
			if err := f.Restart(2); err != nil {
				return err
			}
			if _, err := f.until("peer up", "client-1"); err != nil {
				return err
			}
		}
		log.Printf("  from kill -9 until the server reports it: %v", noticed)
		b.add(timed("a client is killed (-9): noticed", host, noticed, 0, ""))
		b.add(timed("a client is killed (-9): its round finished", host, finished, 130, "Flower 57100 ms, PCCL 130 ms"))
		return nil
	})
}

// restartServer kills and restarts the server of a durable program, and measures the time until it has
// finished the round.
func (b *bench) restartServer(host string) error {
	s := federation(host, 2, large)
	s.state = true
	return b.run("program", s, func(f *fleet) error {
		var back []time.Duration
		for range restarts {
			if _, err := f.rounds(1); err != nil {
				return err
			}
			if err := f.Kill(0); err != nil {
				return err
			}
			last, err := f.leftovers()
			if err != nil {
				return err
			}
			at := time.Now()
			if err := f.Restart(0); err != nil {
				return err
			}
			if _, err := f.round(); err != nil {
				return err
			}
			if f.at > last+1 {
				return fmt.Errorf("the server goes on in round %d, the last it had finished is %d", f.at, last)
			}
			back = append(back, f.end.Sub(at))
		}
		b.add(timed("the server is killed and started again: the same round finished", host, back, 2000, "Flower: the round is lost"))
		return nil
	})
}

// leftovers reads the server's output from before the kill, and returns the last round that it had finished.
func (f *fleet) leftovers() (uint64, error) {
	late := time.After(patience)
	for {
		l, err := f.next(late)
		if err != nil {
			return 0, err
		}
		switch {
		case l.Peer != "server-0":
		case l.Kind == "exited":
			return f.at, nil
		case l.Kind == "finished" && l.Name == "server":
			f.at = l.Round
		}
	}
}
