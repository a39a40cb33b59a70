package main

import (
	"runtime"
	"sync"
)

// result is the result of an experiment.
type result struct {
	experiment
	curves [][]float64 // by row and round: the mean over all seeds
	spread []float64   // by row, for the last round: the range over all seeds
}

// run runs an experiment with up to the given number of seeds, several federations in parallel.
func (e experiment) run(data string, seeds int) (*result, error) {
	seeds = min(seeds, e.seeds)
	courses, errs := make([]course, len(e.rows)*seeds), make([]error, len(e.rows)*seeds)
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range courses {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			s := e.rows[i/seeds].setting
			s.seed = uint64(1 + i%seeds)
			courses[i], errs[i] = federation(s, data)
		})
	}
	wait.Wait()
	r := &result{experiment: e}
	for i := range e.rows {
		for _, err := range errs[i*seeds : (i+1)*seeds] {
			if err != nil {
				return nil, err
			}
		}
		r.add(courses[i*seeds : (i+1)*seeds])
	}
	return r, nil
}

// add adds a row's curve.
func (r *result) add(courses []course) {
	curve := make([]float64, len(courses[0].Loss))
	var last []float64
	for _, c := range courses {
		values := c.Loss
		if r.accuracy {
			values = c.Accuracy
		}
		for i, v := range values {
			curve[i] += v / float64(len(courses))
		}
		last = append(last, values[len(values)-1])
	}
	low, high := last[0], last[0]
	for _, v := range last {
		low, high = min(low, v), max(high, v)
	}
	r.curves, r.spread = append(r.curves, curve), append(r.spread, high-low)
}

// last returns the last value of a row.
func (r *result) last(name string) float64 {
	for i, row := range r.rows {
		if row.name == name {
			return r.curves[i][len(r.curves[i])-1]
		}
	}
	panic("BUG: there is no row " + name)
}
