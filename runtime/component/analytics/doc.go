// Package analytics computes statistics of data that never leave their peers: histograms, quantiles and frequent
// words. Peers send counts, which a [Sum] adds, or the masked sums of package secagg: then the server sees only
// the counts of all peers together.
//
// A histogram takes one round. A quantile takes some: each divides the bin with the quantile into smaller ones. So
// do frequent words: each round makes the prefixes that many peers have half a byte longer.
package analytics
