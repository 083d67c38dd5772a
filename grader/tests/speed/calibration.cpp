// A fixed program: how long it takes to compile and to run says how fast a machine is. Times of the
// kit are told as multiples of it. Whoever changes it has to measure TARGET_SECONDS anew (rows.py).
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

int main() {
  std::mt19937 random(1);
  std::vector<unsigned> keys(1 << 21);
  for (unsigned& key : keys) key = random();
  std::sort(keys.begin(), keys.end());
  std::map<std::string, int> words;
  for (std::size_t i = 0; i < keys.size(); i += 16) ++words[std::to_string(keys[i] % 5000)];
  std::cout << keys[keys.size() / 2] << ' ' << words.size() << '\n';
}
