// Package dp has components for differential privacy: they hide in noise what a single
// peer has sent. What peers send is how they have changed a model, not the model.
//
//   - [Average] is an aggregator of a server that is trusted: it bounds the length of each
//     change and adds noise to the mean.
//   - [Local] adds noise on a peer that trusts nobody. The mean then has much more noise.
//   - [Discrete] adds a part of the noise on each peer, in integers, for a sum that only
//     package secagg shows to the server.
//
// [Sampler] chooses who takes part, so that less noise hides as much. The noise of each
// component is a multiple of the largest length that a change may have. Package accountant,
// and "bbgen cost --privacy", say which ε and δ that gives. They hold for a peer whose
// change counts or is left out; who took part is not hidden.
package dp
