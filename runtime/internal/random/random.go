// Package random provides the random numbers of peers: each target of a peer has a source that follows from the
// seed of the program, the class and the rank.
package random

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/classes"
)

// A Source is the random source of a target. A peer of several classes has one for each, so that it draws the
// same numbers as peers of single classes.
type Source struct {
	State *rand.PCG // the state of Rand, for snapshots
	*rand.Rand
}

// Sources returns the sources of a peer's classes, which follow from the seed of the program and the rank.
func Sources(seed uint64, class string, rank int) []Source {
	var list []Source
	for _, one := range classes.Split(class) {
		seed := SeedOf(seed, one, rank)
		pcg := rand.NewPCG(seed, Mix(seed))
		list = append(list, Source{pcg, rand.New(pcg)})
	}
	return list
}

// SeedOf returns the seed of a peer: a hash of the program's seed, its class and its rank. So no two peers draw
// the same random numbers, and a peer draws the same ones on every machine.
func SeedOf(seed uint64, class string, rank int) uint64 {
	h := Mix(seed)
	for i := range len(class) {
		h = Mix(h ^ uint64(class[i]))
	}
	return Mix(Mix(h^uint64(len(class))) ^ uint64(rank))
}

// Mix is the finalizer of SplitMix64.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
