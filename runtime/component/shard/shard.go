// Package shard implements the role DataSource for the files that package dataset reads: each peer of a class
// gets its share of the examples, by rank. Examples are divided in one of the ways used in papers: randomly, by
// a Dirichlet distribution of labels or of sizes, in shards, or by writer.
package shard

import (
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Source gives batches of features as float32 and of labels as int64, epoch after epoch, each in a different
// order. An incomplete batch at the end of an epoch is skipped.
type Source struct {
	Path    string // in the peer's data; "" is all of it
	Shape   []int  // of the features in the model's form; nil: as in the files
	Batch   int    // examples in a batch; 0: all of the share
	Classes int    // the number of classes; 0: unknown

	// Peers divide the examples, by rank; 0 is one peer. Shares are equal and random, unless one of the
	// following fields is set. The division follows from the program's seed: each example belongs to one peer.
	// Random sizes are drawn again until each peer has a batch.
	Peers int

	// Alpha divides each class of labels in proportions from a Dirichlet distribution: the
	// smaller it is, the fewer classes has a peer. T.-M. H. Hsu, H. Qi and M. Brown,
	// "Measuring the Effects of Non-Identical Data Distribution for Federated Visual
	// Classification", 2019; by class as in M. Yurochkin and others, "Bayesian
	// Nonparametric Federated Learning of Neural Networks", 2019.
	Alpha float64

	// Shards is the number of shards that each peer gets of the examples sorted by label, so that most peers
	// have that number of classes: H. B. McMahan and others, "Communication-Efficient Learning of Deep
	// Networks from Decentralized Data", 2017, with 2.
	Shards int

	// Quantity gives random shares with sizes from a Dirichlet distribution: the smaller it is, the more they
	// differ. Q. Li and others, "Federated Learning on Non-IID Data Silos: An Experimental Study", 2022.
	Quantity float64

	// Writers is a file in the peer's data with the writer of each example, one name per line. All examples of
	// a writer belong to one peer: S. Caldas and others, "LEAF: A Benchmark for Federated Settings", 2018.
	Writers string

	// Noise is added to the features, for any division: the features of the peer of rank r have normal noise
	// of variance Noise·(r+1)/Peers, the same in each epoch. It is the feature skew of Q. Li and others,
	// 2022.
	Noise float64

	Val bool // the examples that are held back for validation, common to all peers

	set        dataset.DataSource
	share      []int
	x, y       *tensor.Tensor
	shape      []int  // of a batch
	seed       uint64 // of the orders
	epoch, at  int
	order      []int
	orderEpoch int
	noise      noise
}

var errNoData = errors.New("the peer has no data: give it a folder with -data DIR, or all peers with bbgen run --data DIR, or --data digits")

// Open opens the files.
func (s *Source) Open(env runtime.Env) error {
	if env.Data == nil {
		return errNoData
	}
	path := s.Path
	if path == "" {
		path = "."
	}
	set, err := dataset.Open(env.Data, path, dataset.Options{X: tensor.Float32, Y: tensor.Int64, Shape: s.Shape, Classes: s.Classes})
	if err != nil {
		return err
	}
	return s.use(set, env)
}

// use takes the peer's share of a set.
func (s *Source) use(set *dataset.Set, env runtime.Env) error {
	s.set, s.seed, s.epoch, s.at, s.orderEpoch = set.Train, runtime.SeedOf(env.Seed, env.Class, env.Rank), 0, 0, -1
	peers, rank := max(s.Peers, 1), env.Rank
	switch {
	case s.Val && set.Val == nil:
		return fmt.Errorf("the data hold nothing back for validation")
	case s.Val:
		s.set, peers, rank = set.Val, 1, 0
	case rank >= peers:
		return fmt.Errorf("the peer is number %d of those that share the data, want less than %d", rank, peers)
	}
	if err := s.checkWays(); err != nil {
		return err
	}
	var err error
	if s.share, err = s.divide(env, peers, rank); err != nil {
		return err
	}
	s.noise = noise{seed: s.seed, deviation: math.Sqrt(s.Noise * float64(rank+1) / float64(peers))}
	if s.Val {
		s.noise.deviation = 0
	}
	n := s.batch()
	if n == 0 || n > len(s.share) {
		return fmt.Errorf("the peer's share is %d examples of %d, want a batch of %d", len(s.share), s.set.Len(), s.Batch)
	}
	s.x, s.y = s.set.Features().Tensor(n), s.set.Labels().Tensor(n)
	s.shape = append([]int{n}, s.Shape...)
	if s.Shape == nil {
		s.shape = s.x.Shape
	}
	if size, err := tensor.NumElements(s.shape); err != nil || size != s.x.Len() {
		return fmt.Errorf("the features are %v, want %v", s.set.Features(), s.Shape)
	}
	if s.x.DType != tensor.Float32 || s.y.DType != tensor.Int64 {
		return fmt.Errorf("the data are %v and %v, want float32 and int64", s.set.Features(), s.set.Labels())
	}
	return nil
}

func (s *Source) batch() int {
	if s.Batch == 0 {
		return len(s.share)
	}
	return s.Batch
}

// NextBatch returns the next batch and its labels. The next call overwrites them.
func (s *Source) NextBatch() (x tensor.Dense[float32], y tensor.Dense[int64], err error) {
	n := s.batch()
	if s.at+n > len(s.share) {
		s.epoch, s.at = s.epoch+1, 0
	}
	if s.orderEpoch != s.epoch {
		s.order, s.orderEpoch = dataset.Order(s.seed, s.epoch, len(s.share)), s.epoch
	}
	indices := make([]int, n)
	for i := range indices {
		indices[i] = s.share[s.order[s.at+i]]
	}
	s.at += n
	if err := s.set.Batch(indices, s.x, s.y); err != nil {
		return x, y, err
	}
	s.noise.add(indices, tensor.Data[float32](s.x))
	return tensor.DenseOf(tensor.Data[float32](s.x), s.shape...), tensor.DenseOf(tensor.Data[int64](s.y), s.y.Shape...), nil
}

// Reset restarts with the first batch of the first epoch.
func (s *Source) Reset() error {
	s.epoch, s.at = 0, 0
	return nil
}

// Samples returns the number of the peer's examples, for use as a weight.
func (s *Source) Samples() (float32, error) { return float32(len(s.share)), nil }

// AppendBinary appends the position of the source.
func (s *Source) AppendBinary(b []byte) ([]byte, error) {
	return values.AppendScalar(values.AppendScalar(b, int64(s.epoch)), int64(s.at)), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *Source) UnmarshalBinary(b []byte) error {
	var epoch, at int64
	r := values.NewFields(b)
	values.ReadScalar(r, &epoch)
	values.ReadScalar(r, &at)
	if err := r.End(); err != nil {
		return err
	}
	if epoch < 0 || at < 0 || at > int64(len(s.share)) {
		return fmt.Errorf("example %d of epoch %d, want at most %d", at, epoch, len(s.share))
	}
	s.epoch, s.at = int(epoch), int(at)
	return nil
}
