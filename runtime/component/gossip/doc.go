// Package gossip computes without a server: peers repeatedly send to random others, and all approach the mean
// of their values. It is push-sum, of D. Kempe, A. Dobra and J. Gehrke, "Gossip-Based Computation of Aggregate
// Information", 2003, with the epochs of M. Jelasity, A. Montresor and O. Babaoglu, "Gossip-Based Aggregation
// in Large Dynamic Networks", 2005.
//
//	w.Shuffle.Run(g, "shuffle", time.Second)                  // a Protocol slot with a sampling.Shuffle
//	w.Mean.Run(g, "mean", time.Second)                        // one with a PushSum that Needs it
//	w.Mean.Call(g, "Set", dsl.TriggerType, value)             // what the peer has, float64[n]
//	mean := w.Mean.Call(g, "Estimate", dsl.Float64(dsl.Any))  // what it takes for the mean
package gossip
